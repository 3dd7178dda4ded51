"""The terms of a narrow, in both forms that clients send."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from msgspec import Struct
from pydantic import Field

from chatapi.wire.params import WireModel
from chatapi.wire.types import Id

# A narrow is part of a URL, and servers accept no more than 64 KiB of that.
_MAX_TERMS = 20
_MAX_PEOPLE = 100
_MAX_OPERATOR_LENGTH = 30
_MAX_OPERAND_LENGTH = 500

_Text = Annotated[str, Field(max_length=_MAX_OPERAND_LENGTH)]
Operand: TypeAlias = (
    _Text
    | Id
    | Annotated[list[Id], Field(max_length=_MAX_PEOPLE)]
    | Annotated[list[_Text], Field(max_length=_MAX_PEOPLE)]
)


class TermObject(WireModel):
    """A condition on messages; with `negated`, messages must not match it."""

    operator: Annotated[str, Field(max_length=_MAX_OPERATOR_LENGTH)]
    """What the term is about, such as `channel`, `topic`, `dm`, `sender`, `search`, `is`, `has`,
    `near` or `id`."""
    operand: Operand
    """What it must be: a name, an id, several ids, or words to search for, depending on the
    operator."""
    negated: bool = False
    """Whether messages must not match the term."""


TermPair: TypeAlias = Annotated[list[Operand], Field(min_length=2, max_length=2)]
"""Operator and operand, the form of older clients."""

NarrowParam: TypeAlias = Annotated[
    list[TermObject | TermPair],
    Field(
        max_length=_MAX_TERMS,
        description="What to show, as terms of `operator`, `operand` and perhaps `negated`.",
    ),
]


class Term(Struct, frozen=True):
    """One term, independent of the form it was sent in."""

    operator: str
    operand: Operand
    negated: bool = False


def read_terms(narrow: Sequence[TermObject | TermPair] | None) -> list[Term]:
    return [_read(term) for term in narrow or ()]


def _read(term: TermObject | TermPair) -> Term:
    if isinstance(term, TermObject):
        return Term(term.operator.lower(), term.operand, term.negated)
    operator, operand = term
    return Term(str(operator).lower(), operand)
