"""The full-text search operator: `search`."""

from typing import ClassVar

from sqlalchemy import Select, and_, or_, select
from typing_extensions import override

from chatapi.db.index_order import IndexOrder
from chatapi.db.models import Conversation, Message
from chatapi.db.search import find_first, find_phrases
from chatapi.narrow.operator import BY_ID, CompileContext, Compiled, Operator, Part, text_operand
from chatapi.narrow.search_text import SearchText
from chatapi.narrow.terms import Operand


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
            Part(and_(first.id == Message.id, first.is_match, *fragments), IndexOrder(first.id)),
            Part(in_topic, BY_ID),
        )
        return Compiled(or_(in_content, in_topic), parts=parts, search=search)


def _conversations(search: SearchText, context: CompileContext) -> Select[*tuple[int]]:
    topics = select(Conversation.id).where(
        Conversation.realm_id == context.ctx.realm.id,
        *(Conversation.topic.icontains(each, autoescape=True) for each in search.fragments),
    )
    if search.phrases:
        found = find_phrases(context.ctx.db, "conversation", search.phrases)
        topics = topics.where(Conversation.id == found.id, found.is_match)
    return topics.correlate(None)
