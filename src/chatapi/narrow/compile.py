"""From the terms of a narrow to conditions on messages."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, and_, not_, or_

from chatapi.auth.context import RealmContext
from chatapi.channels.directory import KnownChannel
from chatapi.core.errors import UnauthorizedError
from chatapi.db.models import Message
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.operator import Operator, Surroundings, text_operand
from chatapi.narrow.people import DirectIncluding, DirectWith, GroupDirectWith, SentBy
from chatapi.narrow.places import (
    InChannel,
    InChannels,
    InTopic,
    find_channel,
    find_conversation,
)
from chatapi.narrow.properties import Is, WithId
from chatapi.narrow.terms import Term
from chatapi.permissions.messages import MessageAccess
from chatapi.wire.topics import read_topic

_OPERATORS: Sequence[Operator] = (
    InChannel(),
    InChannels(),
    InTopic(),
    DirectWith(),
    DirectIncluding(),
    GroupDirectWith(),
    SentBy(),
    WithId(),
    Is(),
)
_BY_NAME = {name: operator for operator in _OPERATORS for name in operator.names}
_OPEN_TO_EVERYBODY = {*InChannel.names, *InChannels.names}
"""Without one of these, there is nothing to show to people without an account."""


@dataclass(frozen=True)
class Narrow:
    """Which messages to show: where to look, and what to take away of that."""

    scopes: tuple[ColumnElement[bool], ...]
    """What the reader may see there, in parts that share no message."""
    filters: tuple[ColumnElement[bool], ...]
    channel: KnownChannel | None
    """The channel it lies in, if it names one."""
    names_topic: bool
    is_by_id: bool
    """Whether it may show single messages from anywhere: whoever reads asks for access then."""

    @property
    def condition(self) -> ColumnElement[bool]:
        return and_(or_(*self.scopes), *self.filters)


async def compile_narrow(
    ctx: RealmContext,
    access: MessageAccess,
    terms: Sequence[Term],
    *,
    is_by_id: bool = False,
) -> Narrow:
    """Where to look, as the reader's access says, and what the terms take away of that."""
    wanted = [term for term in terms if not term.negated]
    if access.reader_id is None and not any(_is_one(_OPEN_TO_EVERYBODY, term) for term in wanted):
        raise UnauthorizedError
    around = await _surroundings(Surroundings(ctx, access), wanted)
    filters: list[ColumnElement[bool]] = []
    scopes: tuple[ColumnElement[bool], ...] = ()
    for term in terms:
        compiled = await _operator_of(term).compile(term.operand, around)
        filters.append(not_(compiled.condition) if term.negated else compiled.condition)
        if not scopes and not term.negated and compiled.scope is not None:
            scopes = (compiled.scope,)
    is_by_id = not scopes and (is_by_id or any(_is_one(WithId.names, term) for term in wanted))
    if not scopes:
        scopes = (Message.realm_id == ctx.realm.id,) if is_by_id else await access.in_feed()
    return Narrow(
        scopes=scopes,
        filters=tuple(filters),
        channel=around.known_channel,
        names_topic=any(_is_one(InTopic.names, term) for term in wanted),
        is_by_id=is_by_id,
    )


def _operator_of(term: Term) -> Operator:
    operator = _BY_NAME.get(term.operator)
    if operator is None:
        raise BadNarrowError(f"unknown operator {term.operator}")
    return operator


def _is_one(names: Collection[str], term: Term) -> bool:
    return term.operator in names


async def _surroundings(around: Surroundings, wanted: Sequence[Term]) -> Surroundings:
    """What a narrow lies in altogether: messages are found faster when it is known where."""
    for term in wanted:
        if _is_one(InChannel.names, term):
            around = replace(around, known_channel=await find_channel(term.operand, around))
            break
    for term in wanted:
        if _is_one(InTopic.names, term):
            topic = read_topic(text_operand(term.operand, "topic"))
            return replace(around, conversation_id=await find_conversation(topic, around))
    return around
