"""Operators about a reader's own flags: `is:starred`, `is:unread` and so on."""

from typing import Any, ClassVar

from sqlalchemy import CompoundSelect, Select, and_, exists, false, or_, select, union_all
from typing_extensions import override

from chatapi.core.ids import UserId
from chatapi.db.base import aliased
from chatapi.db.models import GroupMention, Mention, Message, MessageFlag
from chatapi.events.client import ClientView
from chatapi.narrow.operator import CompileContext, Compiled, LiveOperator, Scope, SentMessage
from chatapi.narrow.terms import Operand
from chatapi.narrow.unread import unread_messages, values_for

_MENTIONS = {"mentioned", "stream_wildcard_mentioned", "topic_wildcard_mentioned"}


class IsDirect(LiveOperator):
    """Direct messages."""

    names: ClassVar = ("is:dm", "is:private")

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        return Compiled(Message.channel_id.is_(None), Scope(context.access.in_direct()))

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return message.channel_id is None


class IsStarred(LiveOperator):
    """Messages the reader starred, as far as the reader may still see them."""

    names: ClassVar = ("is:starred",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        reader_id = context.access.reader_id
        if reader_id is None:
            return Compiled(false())
        noted = MessageFlag.user_id == reader_id, MessageFlag.starred
        starred = Message.id.in_(select(MessageFlag.message_id).where(*noted).correlate(None))
        places = await context.access.in_places_of(starred)
        scope = Scope(and_(starred, places.condition))
        return Compiled(starred, scope, channels=places.channels)

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return "starred" in message.flags_for(view)


class IsUnread(LiveOperator):
    """Messages the reader has not read."""

    names: ClassVar = ("is:unread",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        reader_id = context.access.reader_id
        if reader_id is None:
            return Compiled(false())
        unread = unread_messages(Message.id).params(values_for(reader_id))
        return Compiled(Message.id.in_(unread))

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return "read" not in message.flags_for(view)


class IsMentioned(LiveOperator):
    """Messages that mention the reader directly, through a group, or through a wildcard."""

    names: ClassVar = ("is:mentioned",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        reader_id = context.access.reader_id
        if reader_id is None:
            return Compiled(false())
        return Compiled(Message.id.in_(_mentions_of(reader_id, context)))

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return not _MENTIONS.isdisjoint(message.flags_for(view))


class IsAlerted(LiveOperator):
    """Messages that contain an alert word of the reader."""

    names: ClassVar = ("is:alerted",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        alerted = select(MessageFlag.message_id).where(
            MessageFlag.user_id == context.access.reader_id, MessageFlag.has_alert_word
        )
        return Compiled(Message.id.in_(alerted.correlate(None)))

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return "has_alert_word" in message.flags_for(view)


def _mentions_of(reader_id: UserId, context: CompileContext) -> CompoundSelect[*tuple[Any, ...]]:
    """Three short lists instead of a check of every message."""
    groups = list(context.access.channels.membership.groups)
    return union_all(
        select(Mention.message_id).where(Mention.user_id == reader_id),
        select(GroupMention.message_id).where(GroupMention.group_id.in_(groups)),
        _wildcards(reader_id, context),
    )


def _wildcards(reader_id: UserId, context: CompileContext) -> Select[*tuple[int]]:
    calling, earlier = aliased(Message), aliased(Message)
    took_part = exists().where(
        earlier.conversation_id == calling.conversation_id,
        earlier.sender_id == reader_id,
        earlier.id <= calling.id,
    )
    return select(calling.id).where(
        calling.realm_id == context.ctx.realm.id,
        or_(calling.mentions_channel, calling.mentions_topic),
        or_(calling.mentions_channel, took_part.correlate(calling)),
        or_(calling.channel_id.is_(None), context.access.was_subscribed(calling)),
    )
