"""Use cases: store, read and delete texts of a bot."""

from collections.abc import Collection, Sequence

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.features.users.bot_storage.params import (
    MAX_ENTRIES,
    MAX_STORED_CHARACTERS,
    DeleteStorageParams,
    GetStorageParams,
    PutStorageParams,
)
from chatapi.features.users.bot_storage.payloads import StoragePayload
from chatapi.features.users.bot_storage.repository import BotStorageRepository


class BotStorageService:
    """The storage of the caller; people who run a bot as themselves have one, too."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = BotStorageRepository(ctx.db, ctx.user.id)

    async def put(self, params: PutStorageParams) -> None:
        """Add or replace entries: all of them or, if they exceed the quota, none."""
        if not params.storage:
            return
        await self._ctx.lock()
        await self._check_quota(params.storage)
        await self._repository.put(params.storage)

    async def get(self, params: GetStorageParams) -> StoragePayload:
        """All entries, or those with the given keys, which must exist."""
        if params.keys is None:
            async with self._ctx.heavy_read():
                return {"storage": await self._repository.list_all()}
        found = await self._repository.list_some(params.keys)
        _require(params.keys, found.keys())
        return {"storage": found}

    async def delete(self, params: DeleteStorageParams) -> None:
        """Delete all entries, or those with the given keys, which must exist."""
        await self._ctx.lock()
        if params.keys is None:
            await self._repository.remove_all()
            return
        _require(params.keys, (await self._repository.list_some(params.keys)).keys())
        await self._repository.remove_some(params.keys)

    async def _check_quota(self, new: dict[str, str]) -> None:
        stored = await self._repository.measure_all()
        replaced = await self._repository.measure_some(list(new))
        entries = stored.entries - replaced.entries + len(new)
        if entries > MAX_ENTRIES:
            raise BadRequestError(
                f"storage: This would be {entries} entries in total (limit: {MAX_ENTRIES})"
            )
        added = sum(len(key) + len(value) for key, value in new.items())
        characters = stored.characters - replaced.characters + added
        if characters > MAX_STORED_CHARACTERS:
            raise BadRequestError(
                f"storage: This would be {characters} characters in total"
                f" (limit: {MAX_STORED_CHARACTERS})"
            )


def _require(wanted: Sequence[str], found: Collection[str]) -> None:
    """Refuse keys that do not exist; clients tell a missing entry by this error."""
    for key in wanted:
        if key not in found:
            raise BadRequestError(f"keys: There is no entry with the key '{key}'")
