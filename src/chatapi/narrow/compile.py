"""Compiles the terms of a narrow to SQL conditions on messages."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import ColumnElement, and_, false, not_, or_

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.cache import CachedChannel
from chatapi.core.errors import NotLoggedInError
from chatapi.core.ids import ConversationId
from chatapi.db.index_order import IndexRange
from chatapi.db.models import Message
from chatapi.narrow.cost import check_cost
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.operator import (
    CompileContext,
    Compiled,
    Part,
    Scope,
    above,
    along_channel,
    along_conversation,
    message_operand,
    text_operand,
)
from chatapi.narrow.operators import is_one, operator_of
from chatapi.narrow.people import DirectWith
from chatapi.narrow.places import (
    InChannel,
    InChannels,
    InConversationOf,
    InTopic,
    find_channel,
    find_conversation,
    find_conversation_of,
)
from chatapi.narrow.properties import WithId
from chatapi.narrow.search_text import SearchText
from chatapi.narrow.terms import Term
from chatapi.permissions.messages import MessageAccess
from chatapi.wire.topics import read_topic

_OPEN_TO_EVERYBODY = {*InChannel.names, *InChannels.names}
"""Visitors without an account must use one of these; nothing else is visible to them."""
_SMALL = {*InTopic.names, *DirectWith.names, *InConversationOf.names}
"""A narrow to one conversation is read along its index, whatever its other terms are."""
_REPLACED_BY_WITH = {*InChannel.names, *InTopic.names, *DirectWith.names}
"""Terms that `with` replaces: its message says where to look."""

_Scopes = tuple[tuple[Scope, ...], tuple[CachedChannel, ...]]
"""The scopes to search, and the channels whose settings determined them."""


class Narrow(Struct, frozen=True):
    """A compiled narrow: the scopes to search, and the conditions that filter them."""

    parts: tuple[Part, ...]
    """The visible messages that match, in parts that are each read along an index."""
    scopes: tuple[Scope, ...]
    filters: tuple[tuple[Term, Compiled], ...]
    """The terms that affect which messages to show."""
    channel: CachedChannel | None
    """The channel of the narrow, if it names one."""
    channels: tuple[CachedChannel, ...]
    """All channels whose settings it was compiled with."""
    names_topic: bool
    is_feed: bool
    """Whether it is all that was sent to the reader."""
    search: SearchText | None
    """The text to highlight."""

    @property
    def condition(self) -> ColumnElement[bool]:
        """All parts in one condition."""
        return and_(_all_of(self.scopes), *(_condition(*each) for each in self.filters))

    @property
    def whole_place(self) -> IndexRange | None:
        """The channel or conversation, if the narrow is all messages of it."""
        return self.parts[0].whole_place if len(self.parts) == 1 else None

    @property
    def whole_topic(self) -> ConversationId | None:
        """The conversation of a topic, if the narrow is all messages of it."""
        place = self.whole_place
        if place is None or self.channel is None or not isinstance(place.value, int):
            return None
        is_topic = place.column.key == Message.conversation_id.key
        return ConversationId(place.value) if is_topic else None

    @property
    def is_stale(self) -> bool:
        """Whether a channel changed since, so that the reader may see other messages of it."""
        return any(channel.is_stale for channel in self.channels)


async def compile_narrow(
    ctx: RealmContext,
    access: MessageAccess,
    terms: Sequence[Term],
    *,
    message_ids: Sequence[int] = (),
) -> Narrow:
    """Compile the terms: scopes from the reader's access, filtered by the terms' conditions.

    `message_ids` are further messages that the caller of this function wants, also outside the
    feed.
    """
    check_cost(terms)
    wanted = [term for term in terms if not term.negated]
    if access.reader_id is None and not any(is_one(_OPEN_TO_EVERYBODY, term) for term in wanted):
        raise NotLoggedInError
    context = CompileContext(ctx, access)
    terms, context = await _follow_conversation(terms, context)
    wanted = [term for term in terms if not term.negated]
    context = await _compile_context(context, wanted)
    said = [(term, await operator_of(term).compile(term.operand, context)) for term in terms]
    filters = tuple((term, compiled) for term, compiled in said if compiled is not None)
    named = [compiled for term, compiled in filters if not term.negated]
    ids = [*message_ids, *(message_operand(each.operand) for each in wanted if _is_by_id(each))]
    scopes, channels = _named_scopes(named) or await _open_scopes(access, ids)
    if context.known_channel is not None:
        channels = (context.known_channel, *channels)
    return Narrow(
        parts=_parts(scopes, filters),
        scopes=scopes,
        filters=filters,
        channel=context.known_channel,
        channels=channels,
        names_topic=any(is_one({*InTopic.names, *InConversationOf.names}, term) for term in wanted),
        is_feed=not filters and not message_ids,
        search=_search(named),
    )


def _is_by_id(term: Term) -> bool:
    return is_one(WithId.names, term)


def _named_scopes(named: Sequence[Compiled]) -> _Scopes | None:
    """The scope of the first term that has one; None if no term has."""
    found = next((each for each in named if each.scope is not None), None)
    if found is None or found.scope is None:
        return None
    return (found.scope,), found.channels


async def _open_scopes(access: MessageAccess, message_ids: Sequence[int]) -> _Scopes:
    """The reader's feed, or the places of single messages that were asked for."""
    if message_ids:
        places = await access.in_places_of(Message.id.in_(message_ids))
        return (Scope(places.condition),), places.channels
    return tuple(Scope(each.condition, above(each.above)) for each in await access.in_feed()), ()


def _condition(term: Term, compiled: Compiled) -> ColumnElement[bool]:
    return not_(compiled.condition) if term.negated else compiled.condition


def _all_of(scopes: Sequence[Scope]) -> ColumnElement[bool]:
    return or_(false(), *(scope.whole for scope in scopes))


def _parts(scopes: Sequence[Scope], filters: Sequence[tuple[Term, Compiled]]) -> tuple[Part, ...]:
    """Read along the full-text index if there is a search, or else along each scope."""
    leading = next((each for each in filters if each[1].parts and not each[0].negated), None)
    if leading is None or any(is_one(_SMALL, term) and not term.negated for term, _ in filters):
        return tuple(_part(scope, filters) for scope in scopes)
    others = [_condition(*each) for each in filters if each is not leading]
    return tuple(
        Part(and_(part.condition, _all_of(scopes), *others), part.order)
        for part in leading[1].parts
    )


def _part(scope: Scope, filters: Sequence[tuple[Term, Compiled]]) -> Part:
    """Omits conditions that the scope's order implies: they would lead to another index."""
    others = [
        _condition(term, compiled)
        for term, compiled in filters
        if term.negated or compiled.place is None or compiled.place != scope.order
    ]
    # `and_` would hide that a place is wanted as a whole, for which a statement is built once.
    condition = and_(scope.condition, *others) if others else scope.condition
    return Part(condition, scope.order)


def _search(compiled: Sequence[Compiled]) -> SearchText | None:
    found = [each.search for each in compiled if each.search is not None]
    return sum(found[1:], start=found[0]) if found else None


async def _follow_conversation(
    terms: Sequence[Term], context: CompileContext
) -> tuple[Sequence[Term], CompileContext]:
    """With `with`, its message says where to look; if that is not visible, the other terms do."""
    wanted = (each for each in terms if is_one(InConversationOf.names, each) and not each.negated)
    term = next(wanted, None)
    if term is None:
        return terms, context
    conversation = await find_conversation_of(term.operand, context)
    if conversation is not None:
        kept = [each for each in terms if each.negated or not is_one(_REPLACED_BY_WITH, each)]
        return kept, replace(context, known_channel=conversation.channel)
    if not any(is_one(_REPLACED_BY_WITH, each) and not each.negated for each in terms):
        raise BadNarrowError(f"invalid message ID {term.operand}")
    return [each for each in terms if each is not term], context


async def _compile_context(context: CompileContext, wanted: Sequence[Term]) -> CompileContext:
    """Find the channel and topic of the whole narrow first: queries are faster with them."""
    for term in wanted:
        if is_one(InChannel.names, term):
            known = await find_channel(term.operand, context)
            context = replace(context, known_channel=known, place=along_channel(known.record.id))
            break
    for term in wanted:
        if is_one(InTopic.names, term):
            topic = read_topic(text_operand(term.operand, "topic"))
            found = await find_conversation(topic, context)
            return context if found is None else replace(context, place=along_conversation(found))
    return context
