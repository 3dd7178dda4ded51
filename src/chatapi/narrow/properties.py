"""Operators about messages themselves: `id` and `is`."""

from typing import ClassVar

from typing_extensions import override

from chatapi.db.models import Message
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.operator import Compiled, Operator, Surroundings, id_operand
from chatapi.narrow.terms import Operand


class WithId(Operator):
    """The message with this id."""

    names: ClassVar = ("id",)

    @override
    async def compile(self, operand: Operand, around: Surroundings) -> Compiled:
        number = id_operand(operand)
        if number is None:
            raise BadNarrowError(f"invalid message ID {operand}")
        return Compiled(Message.id == number)


class Is(Operator):
    """Messages of a kind."""

    names: ClassVar = ("is",)

    @override
    async def compile(self, operand: Operand, around: Surroundings) -> Compiled:
        if operand not in {"dm", "private"}:
            raise BadNarrowError(f"unknown 'is' operand {operand}")
        return Compiled(Message.channel_id.is_(None), around.access.in_direct())
