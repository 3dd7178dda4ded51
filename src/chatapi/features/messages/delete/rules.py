"""Which messages a user may delete (SPEC 2.6): the realm and the channel may each permit it."""

from datetime import timedelta

from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.features.messages.repository import Origin
from chatapi.permissions.channels import is_allowed_in_channel
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import ChannelPermission, RealmPermission


async def may_delete_any(ctx: Context, channel: ChannelRecord | None) -> bool:
    """Whether the caller may delete messages of others in a channel, or in direct messages."""
    if await is_allowed_in_realm(ctx, RealmPermission.CAN_DELETE_ANY_MESSAGE):
        return True
    return channel is not None and await is_allowed_in_channel(
        ctx, ChannelPermission.CAN_DELETE_ANY_MESSAGE, channel
    )


async def require_own_deletion(ctx: Context, channel: ChannelRecord | None, origin: Origin) -> None:
    """Refuse unless the caller may delete own messages, or those of own bots, of this age."""
    is_own = origin.is_of(ctx.user.id)
    if not (is_own and await _may_delete_own(ctx, channel)):
        raise BadRequestError("You don't have permission to delete this message")
    seconds = ctx.realm.options.message_content_delete_limit_seconds
    if seconds is not None and ctx.now() - origin.sent_at > timedelta(seconds=seconds):
        raise BadRequestError("The time limit for deleting this message has passed")


async def _may_delete_own(ctx: Context, channel: ChannelRecord | None) -> bool:
    if await is_allowed_in_realm(ctx, RealmPermission.CAN_DELETE_OWN_MESSAGE):
        return True
    return channel is not None and await is_allowed_in_channel(
        ctx, ChannelPermission.CAN_DELETE_OWN_MESSAGE, channel
    )
