"""Every SQL statement on bot storage."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, delete, func, select

from chatapi.core.ids import UserId
from chatapi.db.models import BotStorageEntry
from chatapi.db.reading import read_in_steps
from chatapi.db.session import DatabaseSession
from chatapi.db.upsert import upsert

_OF_USER = BotStorageEntry.user_id == bindparam("user_id")
_IN_KEYS = BotStorageEntry.key.in_(bindparam("keys", expanding=True))
_ALL: Any = select(BotStorageEntry.key, BotStorageEntry.value).where(_OF_USER)
_SOME = _ALL.where(_IN_KEYS)
_USAGE = select(func.count(), func.coalesce(func.sum(BotStorageEntry.size), 0)).where(_OF_USER)
_USAGE_OF_SOME = _USAGE.where(_IN_KEYS)


class StorageUsage(Struct, frozen=True):
    """Number of entries, and of characters in their keys and values."""

    entries: int
    characters: int


class BotStorageRepository:
    """The storage of one user; that of others is never found."""

    def __init__(self, db: DatabaseSession, user_id: UserId) -> None:
        self._db = db
        self._user_id = user_id

    async def list_all(self) -> dict[str, str]:
        rows = await self._db.execute(_ALL, {"user_id": self._user_id})
        return dict(await read_in_steps(rows, lambda row: (row.key, row.value)))

    async def list_some(self, keys: Sequence[str]) -> dict[str, str]:
        rows = await self._db.execute(_SOME, {"user_id": self._user_id, "keys": keys})
        return {row.key: row.value for row in rows}

    async def measure_all(self) -> StorageUsage:
        rows = await self._db.execute(_USAGE, {"user_id": self._user_id})
        return StorageUsage(*rows.one())

    async def measure_some(self, keys: Sequence[str]) -> StorageUsage:
        rows = await self._db.execute(_USAGE_OF_SOME, {"user_id": self._user_id, "keys": keys})
        return StorageUsage(*rows.one())

    async def put(self, entries: Mapping[str, str]) -> None:
        await upsert(
            self._db,
            BotStorageEntry,
            [
                {
                    "user_id": self._user_id,
                    "key": key,
                    "value": value,
                    "size": len(key) + len(value),
                }
                for key, value in entries.items()
            ],
        )

    async def remove_all(self) -> None:
        await self._db.execute(
            delete(BotStorageEntry).where(BotStorageEntry.user_id == self._user_id)
        )

    async def remove_some(self, keys: Sequence[str]) -> None:
        await self._db.execute(
            delete(BotStorageEntry).where(
                BotStorageEntry.user_id == self._user_id, BotStorageEntry.key.in_(keys)
            )
        )
