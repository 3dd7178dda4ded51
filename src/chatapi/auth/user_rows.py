"""Reads users by id or address, for every part of the service that needs their records."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, exists, not_, select

from chatapi.auth.users import UserRecord, user_records
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ApiKeyId, RealmId, UserId
from chatapi.core.names import name_key
from chatapi.core.roles import Role
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import ApiKey, User
from chatapi.db.session import DatabaseSession


class UserRows:
    """Users of one realm; users of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get(self, user_id: UserId) -> UserRecord:
        user = await self.find(user_id)
        if user is None:
            raise BadRequestError("No such user")
        return user

    async def find(self, user_id: UserId) -> UserRecord | None:
        rows = await self._db.execute(
            user_records.select().where(*self._ordinary(), User.id == user_id)
        )
        row = rows.one_or_none()
        return None if row is None else user_records.read(row)

    async def find_by_delivery_email(self, email: str) -> UserRecord | None:
        rows = await self._db.execute(
            user_records.select().where(
                User.realm_id == self._realm_id, User.email_key == name_key(email)
            )
        )
        row = rows.one_or_none()
        return None if row is None else user_records.read(row)

    async def list_by_delivery_email(self, emails: Sequence[str]) -> list[UserRecord]:
        """The users with these addresses, passed in lower case; no more than some thousands."""
        rows = await self._db.execute(
            user_records.select().where(*self._ordinary(), User.email_key.in_(emails))
        )
        return user_records.read_all(rows)

    def _ordinary(self) -> tuple[ColumnElement[bool], ...]:
        """Users who can be read, changed and written to: all but the service's own bots."""
        return User.realm_id == self._realm_id, not_(User.is_system_bot)

    async def list_all(self) -> list[UserRecord]:
        rows = await self._db.execute(
            user_records.select().where(*self._ordinary()).order_by(User.id)
        )
        return user_records.read_all(rows)

    async def list_guests(self) -> list[UserId]:
        rows = await self._db.execute(
            select(User.id).where(User.realm_id == self._realm_id, User.role == Role.GUEST)
        )
        return [UserId(user_id) for (user_id,) in rows]

    async def list_some(self, user_ids: Sequence[int]) -> list[UserRecord]:
        """The users that exist among the given ids, by id."""
        rows = await self._db.execute(
            user_records.select()
            .where(*self._ordinary(), is_one_of(User.id, "user_ids"))
            .order_by(User.id),
            {"user_ids": sorted(set(user_ids))},
        )
        return user_records.read_all(rows)


async def api_key_exists(db: DatabaseSession, key_id: ApiKeyId) -> bool:
    """Whether an API key has not been revoked."""
    rows = await db.execute(select(exists().where(ApiKey.id == key_id)))
    return bool(rows.scalar_one())
