"""What an operator is: a class that turns the operand of a term into a condition."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from sqlalchemy import ColumnElement

from chatapi.auth.context import RealmContext
from chatapi.channels.directory import KnownChannel
from chatapi.channels.records import ChannelRecord
from chatapi.core.ids import MAX_ID, ConversationId
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.terms import Operand
from chatapi.permissions.messages import MessageAccess


@dataclass(frozen=True)
class Surroundings:
    """What the operators of one narrow are compiled in."""

    ctx: RealmContext
    access: MessageAccess
    known_channel: KnownChannel | None = None
    """The channel all of the narrow lies in, if it names one."""
    conversation_id: ConversationId | None = None
    """The topic of that channel all of the narrow lies in, if it names one."""

    @property
    def channel(self) -> ChannelRecord | None:
        return None if self.known_channel is None else self.known_channel.record


@dataclass(frozen=True)
class Compiled:
    """What a term says about `Message`."""

    condition: ColumnElement[bool]
    """Never NULL: the term may be negated."""
    scope: ColumnElement[bool] | None = None
    """Where to look instead of in what was sent to the reader: only what they may see, always."""


class Operator(ABC):
    """One kind of term; the compiler finds it by its names."""

    names: ClassVar[tuple[str, ...]]

    @abstractmethod
    async def compile(self, operand: Operand, around: Surroundings) -> Compiled: ...


def text_operand(operand: Operand, name: str) -> str:
    if not isinstance(operand, str):
        raise BadNarrowError(f"the operand of {name} must be a string")
    return operand


def id_operand(operand: Operand) -> int | None:
    """A number, or a text that is one."""
    if isinstance(operand, str) and operand.isdecimal():
        return min(int(operand), MAX_ID)
    return operand if isinstance(operand, int) else None
