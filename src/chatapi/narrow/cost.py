"""Limits on the database cost of a narrow, checked before anything is looked up."""

from collections.abc import Sequence

from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.people import DirectIncluding, DirectWith, GroupDirectWith, SentBy
from chatapi.narrow.places import InChannel, InConversationOf, InTopic
from chatapi.narrow.properties import Near, WithId
from chatapi.narrow.search import Containing
from chatapi.narrow.search_text import SearchText
from chatapi.narrow.terms import Term

_READ_IN_ORDER = {
    *InChannel.names,
    *InTopic.names,
    *InConversationOf.names,
    *DirectWith.names,
    *WithId.names,
    *Near.names,
}
_PEOPLE = {*DirectWith.names, *DirectIncluding.names, *GroupDirectWith.names, *SentBy.names}
_MAX_SEARCHES = 5
"""Including negated ones; each is a scan of the full-text index."""
_MAX_PEOPLE = 100


def is_read_in_order(term: Term) -> bool:
    """Whether a term names a place, whose messages are read along an index without searching."""
    return not term.negated and term.operator in _READ_IN_ORDER


def check_cost(terms: Sequence[Term]) -> None:
    """Refuse a narrow with far more searches or users than any real use needs."""
    searches = [term for term in terms if term.operator in Containing.names]
    if len(searches) > _MAX_SEARCHES:
        raise BadNarrowError(f"too many searches (maximum {_MAX_SEARCHES})")
    texts = [SearchText.read(term.operand) for term in searches if isinstance(term.operand, str)]
    sum(texts, start=SearchText()).check_size()
    people = sum(_count_people(term) for term in terms if term.operator in _PEOPLE)
    if people > _MAX_PEOPLE:
        raise BadNarrowError(f"too many users (maximum {_MAX_PEOPLE})")


def _count_people(term: Term) -> int:
    if isinstance(term.operand, list):
        return len(term.operand)
    return str(term.operand).count(",") + 1
