"""Every SQL statement on user statuses."""

from sqlalchemy import bindparam, delete, select

from chatapi.core.ids import RealmId, UserId
from chatapi.db.models import User, UserStatus
from chatapi.db.session import DatabaseSession
from chatapi.db.upsert import upsert
from chatapi.features.emoji import Emoji, EmojiKind
from chatapi.features.users.status.rules import NO_STATUS, Status

_COLUMNS = select(
    UserStatus.user_id,
    UserStatus.status_text,
    UserStatus.reaction_type,
    UserStatus.emoji_code,
    UserStatus.emoji_name,
)
_OF_USER = _COLUMNS.where(UserStatus.user_id == bindparam("user_id"))
_OF_REALM = (
    _COLUMNS.join(User, User.id == UserStatus.user_id)
    .where(User.realm_id == bindparam("realm_id"), User.is_active)
    .order_by(UserStatus.user_id)
)
_FORGET = delete(UserStatus).where(UserStatus.user_id == bindparam("user_id"))


class UserStatusRepository:
    """Statuses of the users of one realm."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get(self, user_id: UserId) -> Status:
        rows = await self._db.execute(_OF_USER, {"user_id": user_id})
        row = rows.one_or_none()
        return NO_STATUS if row is None else _read(*row[1:])

    async def list_all(self) -> dict[UserId, Status]:
        """The statuses of all active users who have one."""
        rows = await self._db.fetch(_OF_REALM, {"realm_id": self._realm_id})
        return {UserId(user_id): _read(*status) for user_id, *status in rows}

    async def replace(self, user_id: UserId, status: Status) -> None:
        if status == NO_STATUS:
            await self._db.execute(_FORGET, {"user_id": user_id})
            return
        row: dict[str, object] = {
            "user_id": user_id,
            "status_text": status.text,
            "emoji_name": status.emoji.name,
            "emoji_code": status.emoji.code,
            "reaction_type": status.emoji.kind.value,
        }
        await upsert(self._db, UserStatus, [row])


def _read(text: str, kind: str, code: str, name: str) -> Status:
    return Status(text, Emoji(EmojiKind(kind), code, name))
