"""All operators, by their names."""

from collections.abc import Collection, Sequence

from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.operator import Operator
from chatapi.narrow.people import DirectIncluding, DirectWith, GroupDirectWith, SentBy
from chatapi.narrow.places import InChannel, InChannels, InConversationOf, InTopic
from chatapi.narrow.properties import HasAttachment, HasImage, HasLink, HasReaction, Near, WithId
from chatapi.narrow.search import Containing
from chatapi.narrow.states import IsAlerted, IsDirect, IsMentioned, IsStarred, IsUnread
from chatapi.narrow.terms import Term
from chatapi.narrow.topics import IsFollowed, IsMuted, IsResolved

OPERATORS: Sequence[Operator] = (
    InChannel(),
    InChannels(),
    InTopic(),
    InConversationOf(),
    DirectWith(),
    DirectIncluding(),
    GroupDirectWith(),
    SentBy(),
    WithId(),
    Near(),
    IsDirect(),
    IsStarred(),
    IsUnread(),
    IsMentioned(),
    IsAlerted(),
    IsResolved(),
    IsFollowed(),
    IsMuted(),
    HasLink(),
    HasImage(),
    HasAttachment(),
    HasReaction(),
    Containing(),
)
_BY_NAME = {name: operator for operator in OPERATORS for name in operator.names}
_FAMILIES = {name.partition(":")[0] for name in _BY_NAME if ":" in name}


def operator_of(term: Term) -> Operator:
    """Returns the operator of a term; some are selected by their operand, too."""
    if term.operator in _FAMILIES:
        operator = _BY_NAME.get(f"{term.operator}:{term.operand}")
        if operator is None:
            raise BadNarrowError(f"unknown '{term.operator}' operand {term.operand}")
        return operator
    operator = _BY_NAME.get(term.operator)
    if operator is None:
        raise BadNarrowError(f"unknown operator {term.operator}")
    return operator


def is_one(names: Collection[str], term: Term) -> bool:
    return term.operator in names
