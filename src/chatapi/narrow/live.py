"""Narrows of event queues: evaluated for each new message without the database."""

from collections.abc import Sequence
from typing import Any

from chatapi.auth.context import RealmContext
from chatapi.events.client import ClientView
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.operator import CompileContext, LiveOperator, SentMessage
from chatapi.narrow.operators import operator_of
from chatapi.narrow.terms import Term
from chatapi.permissions.messages import MessageAccess

ResolvedTerm = tuple[str, Any, bool]
"""Operator, operand and whether it is negated, as stored in a queue."""


async def resolve_narrow(
    ctx: RealmContext, access: MessageAccess, terms: Sequence[Term]
) -> tuple[ResolvedTerm, ...]:
    """Replace names by ids; an error if a term cannot be evaluated from the new message alone."""
    context = CompileContext(ctx, access)
    resolved: list[ResolvedTerm] = []
    for term in terms:
        operator = operator_of(term)
        if not isinstance(operator, LiveOperator):
            raise BadNarrowError(f"{operator.names[0]} cannot be used for events")
        operand = await operator.resolve(term.operand, context)
        resolved.append((term.operator, operand, term.negated))
    return tuple(resolved)


def is_in_narrow(narrow: Sequence[ResolvedTerm], message: SentMessage, view: ClientView) -> bool:
    """Whether a message that was just sent matches the narrow of a client's queue."""
    for name, operand, negated in narrow:
        operator = operator_of(Term(name, operand))
        if not isinstance(operator, LiveOperator):
            return False
        if operator.matches(operand, message, view) == negated:
            return False
    return True
