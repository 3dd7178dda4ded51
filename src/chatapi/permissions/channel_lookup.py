"""Look up channels by id or name.

A channel the caller may not read gets the "invalid" error, too.
"""

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.cache import CachedChannel
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId
from chatapi.permissions.channels import channel_access


async def readable_channel(ctx: RealmContext, channel_id: ChannelId) -> ChannelRecord:
    """Returns the channel with this id if the reader may read it; otherwise raises an error."""
    known = await ctx.runtime.channels.by_id(ctx.db, ctx.realm.id, channel_id)
    return await _readable(ctx, known, "Invalid channel ID")


async def readable_channel_named(ctx: RealmContext, name: str) -> ChannelRecord:
    """Returns the channel of this name if the reader may read it; otherwise raises an error."""
    known = await ctx.runtime.channels.by_name(ctx.db, ctx.realm.id, name)
    return await _readable(ctx, known, f"Invalid channel name '{name}'")


async def _readable(ctx: RealmContext, known: CachedChannel | None, refusal: str) -> ChannelRecord:
    access = await channel_access(ctx)
    if known is None or not access.can_read(known.record):
        raise BadRequestError(refusal)
    return known.record
