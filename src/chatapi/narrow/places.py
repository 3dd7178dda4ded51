"""Operators about where messages are: `channel`, `channels`, `topic` and `with`."""

from typing import Any, ClassVar

from msgspec import Struct
from sqlalchemy import Select, and_, false, select, true
from typing_extensions import override

from chatapi.channel_cache.cache import CachedChannel
from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId
from chatapi.core.names import name_key
from chatapi.db.models import Channel, Conversation, Message
from chatapi.events.client import ClientView
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.operator import (
    CompileContext,
    Compiled,
    LiveOperator,
    Operator,
    Scope,
    SentMessage,
    along_channel,
    along_conversation,
    id_operand,
    message_operand,
    text_operand,
)
from chatapi.narrow.terms import Operand
from chatapi.wire.topics import read_topic


class InChannel(LiveOperator):
    """Messages of one channel, named by its id or its name."""

    names: ClassVar = ("channel", "stream")

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        channel = (await find_channel(operand, context)).record
        place = along_channel(channel.id)
        if channel is context.channel and context.place is not None:
            # Use only the topic if there is one: with both, databases would estimate too few rows.
            place = context.place
        return Compiled(scope=Scope(context.access.visible_of(channel), place), place=place)

    @override
    async def resolve(self, operand: Operand, context: CompileContext) -> Operand:
        return (await find_channel(operand, context)).record.id

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return message.channel_id == operand


class InChannels(Operator):
    """Messages of all public or of all web-public channels."""

    names: ClassVar = ("channels", "streams")

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        channels = (
            select(Channel.id)
            .where(Channel.realm_id == context.ctx.realm.id, Channel.history_public_to_subscribers)
            .correlate(None)
        )
        access = context.access.channels
        match operand:
            case "web-public":
                is_open = access.user is not None or access.shows_web_public
                channels = channels.where(Channel.is_web_public if is_open else false())
            case "public":
                is_open = access.user is not None and access.user.role.is_member
                channels = channels.where(~Channel.invite_only if is_open else false())
            case _:
                raise BadNarrowError(f"unknown channels operand {operand}")
        condition = and_(Message.channel_id.is_not(None), Message.channel_id.in_(channels))
        return Compiled(condition, Scope(and_(Message.realm_id == context.ctx.realm.id, condition)))


class InTopic(LiveOperator):
    """Messages of a topic: in one channel, or in all topics of this name."""

    names: ClassVar = ("topic", "subject")

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        topic = read_topic(text_operand(operand, "topic"))
        ctx, channel = context.ctx, context.channel
        if channel is None:
            named = select(Conversation.id).where(
                Conversation.realm_id == ctx.realm.id, Conversation.topic_key == name_key(topic)
            )
            return Compiled(Message.conversation_id.in_(named.correlate(None)))
        found = await find_conversation(topic, context)
        if found is None:
            return Compiled(false())
        place = along_conversation(found)
        return Compiled(place=place)

    @override
    async def resolve(self, operand: Operand, context: CompileContext) -> Operand:
        return name_key(read_topic(text_operand(operand, "topic")))

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return message.channel_id is not None and name_key(message.topic) == operand


class InConversationOf(Operator):
    """The topic or direct-message conversation that a message is in now.

    Links made before a topic was moved keep working: the message determines the place, not the
    other terms. If the reader may not see the message, the term has no effect.
    """

    names: ClassVar = ("with",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled | None:
        conversation = await find_conversation_of(operand, context)
        if conversation is None:
            return None
        place = along_conversation(conversation.conversation_id)
        # If it is a direct one, the message is visible because the reader takes part.
        known = conversation.channel
        visible = true() if known is None else context.access.visible_of(known.record)
        return Compiled(scope=Scope(visible, place), place=place)


class ConversationInChannel(Struct, frozen=True):
    """A conversation, and its channel if it is a topic."""

    conversation_id: ConversationId
    channel: CachedChannel | None


_PLACES: Select[*tuple[Any, ...]] = select(
    Message.id, Message.conversation_id, Message.channel_id, Message.arrival
)


class _Location(Struct, frozen=True):
    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    arrival: EventNumber | None


async def find_conversation_of(
    operand: Operand, context: CompileContext
) -> ConversationInChannel | None:
    """Returns the conversation of a message; None if the reader may not see the message."""
    ctx = context.ctx
    rows = await ctx.db.execute(
        _PLACES.where(Message.realm_id == ctx.realm.id, Message.id == message_operand(operand))
    )
    row = rows.one_or_none()
    if row is None:
        return None
    placed = _Location(*row)
    if not await context.access.can_see_message(placed):
        return None
    channel = None
    if placed.channel_id is not None:
        channel = await ctx.runtime.channels.by_id(ctx.db, ctx.realm.id, placed.channel_id)
    return ConversationInChannel(placed.conversation_id, channel)


async def find_channel(operand: Operand, context: CompileContext) -> CachedChannel:
    """Returns the channel a term names; an invisible channel is reported like an unknown one."""
    ctx, directory = context.ctx, context.ctx.runtime.channels
    if isinstance(operand, str):
        named = await directory.by_name(ctx.db, ctx.realm.id, operand)
        if named is not None and context.access.channels.can_see(named.record):
            return named
    number = id_operand(operand)
    if number is not None:
        numbered = await directory.by_id(ctx.db, ctx.realm.id, ChannelId(number))
        if numbered is not None and context.access.channels.can_see(numbered.record):
            return numbered
    raise BadNarrowError(f"unknown channel {operand}")


async def find_conversation(topic: str, context: CompileContext) -> ConversationId | None:
    """Returns the conversation of a topic in the channel of the narrow."""
    ctx, channel = context.ctx, context.channel
    if channel is None:
        return None
    found = await ctx.runtime.channels.find_topic(ctx.db, ctx.realm.id, channel.id, topic)
    return None if found is None else found[0]
