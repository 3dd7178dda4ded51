"""Serves the images of custom emoji without authentication: messages refer to them by address."""

from chatapi.auth.context import RealmContext
from chatapi.core.errors import NotFoundError
from chatapi.core.ids import RealmId
from chatapi.features.emoji.repository import EmojiRepository
from chatapi.files.names import key_of


async def read_picture(ctx: RealmContext, realm_id: int, path: str) -> bytes:
    """The whole image: the server has drawn it, and it is small."""
    whole_path = f"{realm_id}/{path}"
    repository = EmojiRepository(ctx.db, ctx.realm.id)
    if RealmId(realm_id) != ctx.realm.id or not await repository.path_exists(whole_path):
        raise NotFoundError
    # Reading bytes takes a while and needs no database connection.
    await ctx.release_connection()
    return await ctx.runtime.files.read_whole(key_of(whole_path))
