"""Operators about topics: `is:resolved`, `is:followed` and `is:muted`."""

from typing import ClassVar

from sqlalchemy import ColumnElement, Select, and_, not_, or_, select, text
from typing_extensions import override

from chatapi.channel_cache.visibility import VisibilityPolicy
from chatapi.core.ids import UserId
from chatapi.db.models import Conversation, Message, Subscription, UserTopic
from chatapi.db.models.message import IS_RESOLVED
from chatapi.events.client import ClientView
from chatapi.narrow.operator import CompileContext, Compiled, LiveOperator, Operator, SentMessage
from chatapi.narrow.terms import Operand

_RESOLVED_PREFIX = "✔ "


class IsResolved(LiveOperator):
    """Messages of resolved topics."""

    names: ClassVar = ("is:resolved",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        resolved = select(Conversation.id).where(
            Conversation.realm_id == context.ctx.realm.id, text(IS_RESOLVED)
        )
        return Compiled(_is_in(resolved))

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return message.channel_id is not None and message.topic.startswith(_RESOLVED_PREFIX)


class IsFollowed(Operator):
    """Messages of topics the reader follows."""

    names: ClassVar = ("is:followed",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        return Compiled(_is_in(_topics(context.access.reader_id, VisibilityPolicy.FOLLOWED)))


class IsMuted(Operator):
    """Messages of muted topics, and of muted channels unless the topic is unmuted or followed."""

    names: ClassVar = ("is:muted",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        reader_id = context.access.reader_id
        channels = select(Subscription.channel_id).where(
            Subscription.user_id == reader_id, Subscription.is_active, Subscription.is_muted
        )
        in_muted_channel = and_(
            Message.channel_id.is_not(None), Message.channel_id.in_(channels.correlate(None))
        )
        shown = _topics(reader_id, VisibilityPolicy.UNMUTED, VisibilityPolicy.FOLLOWED)
        return Compiled(
            or_(
                _is_in(_topics(reader_id, VisibilityPolicy.MUTED)),
                and_(in_muted_channel, not_(_is_in(shown))),
            )
        )


def _topics(reader_id: UserId | None, *policies: VisibilityPolicy) -> Select[*tuple[int]]:
    return (
        select(Conversation.id)
        .join(
            UserTopic,
            and_(
                UserTopic.channel_id == Conversation.channel_id,
                UserTopic.topic_key == Conversation.topic_key,
            ),
        )
        .where(UserTopic.user_id == reader_id, UserTopic.visibility_policy.in_(policies))
    )


def _is_in(conversations: Select[*tuple[int]]) -> ColumnElement[bool]:
    return Message.conversation_id.in_(conversations.correlate(None))
