"""The full-text search operator: `search`."""

from typing import ClassVar

from sqlalchemy import ColumnElement, Select, and_, or_, select, true
from typing_extensions import override

from chatapi.core.ids import ConversationId
from chatapi.db.index_order import IndexOrder
from chatapi.db.models import Conversation, Message
from chatapi.db.search import find_first, find_phrases
from chatapi.narrow.operator import (
    BY_ID,
    CompileContext,
    Compiled,
    Operator,
    Part,
    along_conversation,
    text_operand,
)
from chatapi.narrow.search_text import SearchText
from chatapi.narrow.terms import Operand

_MAX_TOPIC_PARTS = 10
"""Each is a statement."""


class Containing(Operator):
    """Messages that contain all of the words, or whose topic does."""

    names: ClassVar = ("search",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        search = SearchText.read(text_operand(operand, "search"))
        in_topic = and_(
            Message.channel_id.is_not(None),
            Message.conversation_id.in_(_conversations(search, context)),
        )
        fragments = [
            Message.content.icontains(fragment, autoescape=True) for fragment in search.fragments
        ]
        if not search.phrases:
            in_content = and_(*fragments)
            return Compiled(or_(in_content, in_topic), search=search)
        found = find_phrases(context.ctx.db, "message", search.phrases)
        in_content = and_(Message.id.in_(found.ids()), *fragments)
        first = await find_first(context.ctx.db, "message", search.phrases)
        parts = (
            Part(and_(first.id == Message.id, first.is_match, *fragments), IndexOrder(first.key)),
            *await _parts_of_topics(in_topic, search, context),
        )
        return Compiled(or_(in_content, in_topic), parts=parts, search=search)


async def _parts_of_topics(
    in_topic: ColumnElement[bool], search: SearchText, context: CompileContext
) -> list[Part]:
    """Read few topics one after the other, and the messages of many among all messages.

    Without the ids, both databases would read all messages in order to find those of few topics.
    """
    some = _conversations(search, context).where(Conversation.channel_id.is_not(None))
    rows = await context.ctx.db.execute(some.limit(_MAX_TOPIC_PARTS + 1))
    topic_ids = [ConversationId(number) for number in rows.scalars()]
    if len(topic_ids) > _MAX_TOPIC_PARTS:
        return [Part(in_topic, BY_ID)]
    return [Part(true(), along_conversation(topic_id)) for topic_id in topic_ids]


def _conversations(search: SearchText, context: CompileContext) -> Select[*tuple[int]]:
    topics = select(Conversation.id).where(
        Conversation.realm_id == context.ctx.realm.id,
        *(Conversation.topic.icontains(each, autoescape=True) for each in search.fragments),
    )
    if search.phrases:
        found = find_phrases(context.ctx.db, "conversation", search.phrases)
        topics = topics.where(Conversation.id == found.id, found.is_match)
    return topics.correlate(None)
