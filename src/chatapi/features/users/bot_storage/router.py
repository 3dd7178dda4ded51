"""Endpoints of bot storage."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.users.bot_storage.params import (
    DeleteStorageParams,
    GetStorageParams,
    PutStorageParams,
)
from chatapi.features.users.bot_storage.payloads import StoragePayload
from chatapi.features.users.bot_storage.service import BotStorageService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Bot storage", "Texts that a bot keeps on the server.")


@router.put("/bot_storage")
async def put_bot_storage(ctx: LoggedIn, params: PutStorageParams) -> None:
    """Store texts under keys.

    Entries with these keys are replaced, others stay. A bot may have 20,000 entries, whose keys and
    values have 10,000,000 characters together.
    """
    await BotStorageService(ctx).put(params)


@router.get("/bot_storage")
async def get_bot_storage(ctx: LoggedIn, params: GetStorageParams) -> StoragePayload:
    """Get stored texts.

    All of them, or those with the given keys, which must all exist. Each user, people included, has
    a storage of their own.
    """
    return await BotStorageService(ctx).get(params)


@router.delete("/bot_storage")
async def delete_bot_storage(ctx: LoggedIn, params: DeleteStorageParams) -> None:
    """Delete stored texts.

    All of them, or those with the given keys, which must all exist; otherwise nothing is deleted.
    """
    await BotStorageService(ctx).delete(params)
