"""Every SQL statement on custom emoji."""

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct
from sqlalchemy import bindparam, func, insert, not_, select, update

from chatapi.core.ids import EmojiId, RealmId, UserId
from chatapi.db.models import RealmEmoji
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession


class EmojiRecord(Struct, frozen=True):
    """A custom emoji."""

    id: EmojiId
    name: str
    author_id: UserId | None
    path_id: str
    still_path_id: str | None
    deactivated: bool


_records = RecordReader(EmojiRecord, RealmEmoji)
_OF_REALM = (
    _records.select().where(RealmEmoji.realm_id == bindparam("realm_id")).order_by(RealmEmoji.id)
)
_IN_USE = _OF_REALM.where(not_(RealmEmoji.deactivated))
_BY_ID = _OF_REALM.where(RealmEmoji.id == bindparam("emoji_id"))
_NAMED = _IN_USE.where(RealmEmoji.name.in_(bindparam("names", expanding=True)))
_BY_PATH = _OF_REALM.where(
    (RealmEmoji.path_id == bindparam("path")) | (RealmEmoji.still_path_id == bindparam("path"))
)
_COUNT = select(func.count()).where(RealmEmoji.realm_id == bindparam("realm_id"))
_DEACTIVATE = (
    update(RealmEmoji).where(RealmEmoji.id == bindparam("emoji_id")).values(deactivated=True)
)


class EmojiRepository:
    """Emoji of one realm; emoji of other realms are never found."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def list_all(self) -> list[EmojiRecord]:
        """Including removed ones, which old reactions and messages show."""
        rows = await self._db.execute(_OF_REALM, {"realm_id": self._realm_id})
        return [_records.read(row) for row in rows]

    async def list_named(self, names: Collection[str]) -> list[EmojiRecord]:
        """Only emoji that are in use."""
        rows = await self._db.execute(_NAMED, {"realm_id": self._realm_id, "names": list(names)})
        return [_records.read(row) for row in rows]

    async def find_named(self, name: str) -> EmojiRecord | None:
        found = await self.list_named([name])
        return found[0] if found else None

    async def find(self, emoji_id: EmojiId) -> EmojiRecord | None:
        rows = await self._db.execute(_BY_ID, {"realm_id": self._realm_id, "emoji_id": emoji_id})
        row = rows.one_or_none()
        return None if row is None else _records.read(row)

    async def list_paths(self) -> list[str]:
        """The paths of all images."""
        return [
            path
            for each in await self.list_all()
            for path in (each.path_id, each.still_path_id)
            if path is not None
        ]

    async def path_exists(self, path: str) -> bool:
        rows = await self._db.execute(_BY_PATH, {"realm_id": self._realm_id, "path": path})
        return rows.first() is not None

    async def count(self) -> int:
        """Including removed ones, whose files still exist."""
        rows = await self._db.execute(_COUNT, {"realm_id": self._realm_id})
        return rows.scalar_one()

    async def add(
        self,
        name: str,
        author_id: UserId,
        path_id: str,
        still_path_id: str | None,
        created_at: datetime,
    ) -> EmojiRecord:
        rows = await self._db.execute(
            insert(RealmEmoji)
            .values(
                realm_id=self._realm_id,
                name=name,
                author_id=author_id,
                path_id=path_id,
                still_path_id=still_path_id,
                created_at=created_at,
                deactivated=False,
            )
            .returning(RealmEmoji.id)
        )
        emoji_id = EmojiId(rows.scalar_one())
        return EmojiRecord(emoji_id, name, author_id, path_id, still_path_id, deactivated=False)

    async def deactivate(self, emoji_id: EmojiId) -> None:
        await self._db.execute(_DEACTIVATE, {"emoji_id": emoji_id})
