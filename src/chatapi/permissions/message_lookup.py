"""Look up messages by id. A message the reader may not see gets the same error as a missing one."""

from typing import Any

from msgspec import Struct
from sqlalchemy import Select, bindparam, select

from chatapi.auth.context import Context, RealmContext
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, UserId
from chatapi.db.models import Conversation, ConversationMember, Message
from chatapi.events.audience import Audience, Users
from chatapi.permissions.channels import subscribers_who_see
from chatapi.permissions.messages import message_access

_ONE: Select[*tuple[Any, ...]] = (
    select(
        Message.id,
        Message.conversation_id,
        Message.channel_id,
        Message.arrival,
        Message.sender_id,
        Conversation.topic,
    )
    .join(Conversation, Conversation.id == Message.conversation_id)
    .where(Message.realm_id == bindparam("realm_id"), Message.id == bindparam("message_id"))
)
_PEOPLE = (
    select(ConversationMember.user_id)
    .where(ConversationMember.conversation_id == bindparam("conversation_id"))
    .order_by(ConversationMember.user_id)
)


class FoundMessage(Struct, frozen=True):
    """A message that the reader may see, and its channel, conversation and topic."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    arrival: EventNumber | None
    sender_id: UserId
    topic: str


async def visible_message(ctx: RealmContext, message_id: MessageId) -> FoundMessage:
    """Returns the message with this id if the reader may see it; otherwise raises an error."""
    access = await message_access(ctx)
    rows = await ctx.db.execute(_ONE, {"realm_id": ctx.realm.id, "message_id": message_id})
    row = rows.one_or_none()
    if row is None:
        raise BadRequestError("Invalid message(s)")
    found = FoundMessage(*row)
    if not await access.can_see_message(found):
        raise BadRequestError("Invalid message(s)")
    return found


async def find_message(ctx: RealmContext, message_id: MessageId) -> FoundMessage:
    """Returns a message that is known to exist, for work that no reader asked for."""
    rows = await ctx.db.execute(_ONE, {"realm_id": ctx.realm.id, "message_id": message_id})
    return FoundMessage(*rows.one())


async def message_to_change(ctx: Context, message_id: MessageId) -> FoundMessage:
    """Like `visible_message`, for writes to the message: refuses messages of archived channels."""
    message = await visible_message(ctx, message_id)
    channel = await channel_of(ctx, message)
    if channel is not None and channel.is_archived:
        raise BadRequestError("Invalid message(s)")
    return message


async def channel_of(ctx: RealmContext, message: FoundMessage) -> ChannelRecord | None:
    """Returns the channel of a message, None for direct messages."""
    if message.channel_id is None:
        return None
    found = await ctx.runtime.channels.many(ctx.db, ctx.realm.id, [message.channel_id])
    return found[message.channel_id]


async def participants_of(ctx: RealmContext, message: FoundMessage) -> list[UserId]:
    """Returns the participants of the conversation of a direct message."""
    rows = await ctx.db.execute(_PEOPLE, {"conversation_id": message.conversation_id})
    return [UserId(user_id) for (user_id,) in rows]


async def message_audience(ctx: RealmContext, message: FoundMessage) -> Audience:
    """Returns the audience of changes to a message: only users who may see the message itself."""
    channel = await channel_of(ctx, message)
    if channel is not None:
        return subscribers_who_see(channel, message)
    return Users(ids=frozenset(await participants_of(ctx, message)))
