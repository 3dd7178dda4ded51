"""From the terms of a narrow to conditions on messages."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, not_

from chatapi.auth.context import RealmContext
from chatapi.channels.directory import KnownChannel
from chatapi.core.errors import UnauthorizedError
from chatapi.db.models import Message
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.operator import Operator, Surroundings
from chatapi.narrow.people import DirectIncluding, DirectWith, GroupDirectWith, SentBy
from chatapi.narrow.places import InChannel, InChannels, InTopic, find_channel
from chatapi.narrow.properties import Is, WithId
from chatapi.narrow.terms import Term
from chatapi.permissions.messages import MessageAccess

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
    """Which messages to show: conditions on `Message`, all of which hold."""

    conditions: tuple[ColumnElement[bool], ...]
    channel: KnownChannel | None
    """The channel it lies in, if it names one."""
    names_topic: bool
    is_by_id: bool
    """Whether it may show single messages from anywhere: whoever reads asks for access then."""


async def compile_narrow(
    ctx: RealmContext,
    access: MessageAccess,
    terms: Sequence[Term],
    *,
    is_by_id: bool = False,
) -> Narrow:
    """Where to look, as the reader's access says, and what the terms take away of that."""
    around = Surroundings(ctx, access, await _channel_of(ctx, access, terms))
    wanted = [term for term in terms if not term.negated]
    if access.reader_id is None and not _is_open(wanted):
        raise UnauthorizedError
    conditions: list[ColumnElement[bool]] = []
    scope: ColumnElement[bool] | None = None
    for term in terms:
        compiled = await _operator_of(term).compile(term.operand, around)
        conditions.append(not_(compiled.condition) if term.negated else compiled.condition)
        if scope is None and not term.negated:
            scope = compiled.scope
    is_by_id = scope is None and (is_by_id or any(_is_id(term) for term in wanted))
    if scope is None:
        scope = Message.realm_id == ctx.realm.id if is_by_id else access.in_feed()
    return Narrow(
        conditions=(scope, *conditions),
        channel=around.known_channel,
        names_topic=any(term.operator in InTopic.names for term in wanted),
        is_by_id=is_by_id,
    )


def _operator_of(term: Term) -> Operator:
    operator = _BY_NAME.get(term.operator)
    if operator is None:
        raise BadNarrowError(f"unknown operator {term.operator}")
    return operator


def _is_open(wanted: Sequence[Term]) -> bool:
    return any(term.operator in _OPEN_TO_EVERYBODY for term in wanted)


def _is_id(term: Term) -> bool:
    return term.operator in WithId.names


async def _channel_of(
    ctx: RealmContext, access: MessageAccess, terms: Sequence[Term]
) -> KnownChannel | None:
    """Topics are found faster when it is known where."""
    for term in terms:
        if term.operator in InChannel.names and not term.negated:
            return await find_channel(term.operand, Surroundings(ctx, access, None))
    return None
