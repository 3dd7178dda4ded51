"""Operators about messages themselves: `id`, `near` and `has`."""

from typing import ClassVar

from sqlalchemy import select
from typing_extensions import override

from chatapi.db.models import Message, Reaction
from chatapi.events.client import ClientView
from chatapi.narrow.operator import (
    CompileContext,
    Compiled,
    LiveOperator,
    Operator,
    SentMessage,
    message_operand,
)
from chatapi.narrow.terms import Operand


class WithId(LiveOperator):
    """The message with this id."""

    names: ClassVar = ("id",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        return Compiled(Message.id == message_operand(operand))

    @override
    async def resolve(self, operand: Operand, context: CompileContext) -> Operand:
        return message_operand(operand)

    @override
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool:
        return message.message_id == operand


class Near(Operator):
    """The message a client scrolls to: it filters nothing, the anchor says where to read."""

    names: ClassVar = ("near",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> None:
        message_operand(operand)


class HasLink(Operator):
    """Messages with a link."""

    names: ClassVar = ("has:link",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        return Compiled(Message.has_link.expression)


class HasImage(Operator):
    """Messages that show an image."""

    names: ClassVar = ("has:image",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        return Compiled(Message.has_image.expression)


class HasAttachment(Operator):
    """Messages that link an uploaded file."""

    names: ClassVar = ("has:attachment",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        return Compiled(Message.has_attachment.expression)


class HasReaction(Operator):
    """Messages with at least one reaction."""

    names: ClassVar = ("has:reaction",)

    @override
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled:
        has_reaction = select(Reaction.id).where(Reaction.message_id == Message.id)
        return Compiled(has_reaction.correlate(Message).exists())
