"""The newest message of an organization, as clients ask for it."""

from chatapi.auth.context import Context
from chatapi.features.flags.repository import MarkRepository

_NO_MESSAGES_YET = -1


async def newest_message_id(ctx: Context) -> int:
    """-1 before the first message."""
    newest = await MarkRepository(ctx.db, ctx.realm.id, ctx.user.id).newest_message()
    return _NO_MESSAGES_YET if newest is None else newest
