"""Notifies users that another user is editing a message; nothing is written or stored."""

from chatapi.auth.context import Context
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MessageId
from chatapi.events.audience import Audience, Users
from chatapi.features.messages.typing.events import (
    EditedMessagePlace,
    EditTypingStarted,
    EditTypingStopped,
)
from chatapi.features.messages.typing.params import EditTypingParams
from chatapi.features.messages.typing.service import MAX_LISTENERS
from chatapi.permissions.channels import subscribers_who_see
from chatapi.permissions.message_lookup import (
    FoundMessage,
    channel_of,
    message_to_change,
    participants_of,
)


async def notify_of_edit(ctx: Context, message_id: MessageId, params: EditTypingParams) -> None:
    """POST /messages/{message_id}/typing: only for messages that the caller could edit."""
    message = await message_to_change(ctx, message_id)
    if message.sender_id != ctx.user.id or not ctx.realm.options.allow_message_editing:
        raise BadRequestError("You don't have permission to edit this message")
    channel = await channel_of(ctx, message)
    if channel is None:
        await _emit_to_participants(ctx, message, params)
    else:
        await _emit_to_channel(ctx, message, channel, params)


async def _emit_to_participants(
    ctx: Context, message: FoundMessage, params: EditTypingParams
) -> None:
    if not ctx.user.options.send_private_typing_notifications:
        raise BadRequestError("User has disabled typing notifications for direct messages")
    user_ids = await participants_of(ctx, message)
    place: EditedMessagePlace = {"type": "direct", "user_ids": list(user_ids)}
    _emit(ctx, message, place, params, to=Users(ids=frozenset(user_ids)))


async def _emit_to_channel(
    ctx: Context, message: FoundMessage, channel: ChannelRecord, params: EditTypingParams
) -> None:
    if not ctx.user.options.send_stream_typing_notifications:
        raise BadRequestError("User has disabled typing notifications for channel messages")
    subscribers = await ctx.runtime.channels.subscriber_count(ctx.db, ctx.realm.id, channel.id)
    if subscribers.number > MAX_LISTENERS:
        return
    place: EditedMessagePlace = {
        "type": "channel",
        "channel_id": channel.id,
        "topic": message.topic,
    }
    # Clients that requested messages of all public channels did not request typing events.
    audience = subscribers_who_see(channel, message).model_copy(update={"is_public": False})
    _emit(ctx, message, place, params, to=audience)


def _emit(
    ctx: Context,
    message: FoundMessage,
    place: EditedMessagePlace,
    params: EditTypingParams,
    to: Audience,
) -> None:
    told = EditTypingStarted if params.op == "start" else EditTypingStopped
    ctx.emit(told(sender_id=ctx.user.id, message_id=message.id, recipient=place), to=to)
