"""Operators: classes that compile the operand of a term to a condition."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import ClassVar, Protocol

from msgspec import Struct
from sqlalchemy import ColumnElement, and_
from sqlalchemy.sql.elements import True_

from chatapi.auth.context import RealmContext
from chatapi.channel_cache.cache import CachedChannel
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MAX_ID, ChannelId, ConversationId, MessageId, UserId
from chatapi.db.index_order import IndexOrder, IndexRange, IndexTail
from chatapi.db.models import Message
from chatapi.events.client import ClientView
from chatapi.narrow.errors import BadNarrowError
from chatapi.narrow.search_text import SearchText
from chatapi.narrow.terms import Operand
from chatapi.permissions.messages import MessageAccess

BY_ID = IndexOrder(Message.id.expression)


def above(message_id: MessageId) -> IndexOrder:
    """The order of all messages above an id."""
    return IndexTail(Message.id.expression, message_id) if message_id else BY_ID


def along_channel(channel_id: ChannelId) -> IndexRange:
    return IndexRange(Message.id.expression, Message.channel_id.expression, channel_id)


def along_conversation(conversation_id: ConversationId) -> IndexRange:
    return IndexRange(Message.id.expression, Message.conversation_id.expression, conversation_id)


class CompileContext(Struct, frozen=True):
    """What the operators of one narrow are compiled with."""

    ctx: RealmContext
    access: MessageAccess
    known_channel: CachedChannel | None = None
    """The channel of the whole narrow, if it names one."""
    place: IndexRange | None = None
    """The index range of that channel, or of its topic if the narrow names one as well."""

    @property
    def channel(self) -> ChannelRecord | None:
        return None if self.known_channel is None else self.known_channel.record


class Scope(Struct, frozen=True):
    """Where to search: never more than the reader may see."""

    condition: ColumnElement[bool]
    """Condition for what the reader may see there."""
    order: IndexOrder = BY_ID
    """The place, if there is one, and the index order in which to read its messages."""

    @property
    def whole(self) -> ColumnElement[bool]:
        return and_(self.order.holds, self.condition)


class Part(Struct, frozen=True):
    """Some of the messages of a narrow, and the index to read them along."""

    condition: ColumnElement[bool]
    """The conditions besides those of the index order."""
    order: IndexOrder

    @property
    def whole_place(self) -> IndexRange | None:
        """The channel or conversation, if all messages of it are wanted."""
        if isinstance(self.condition, True_) and isinstance(self.order, IndexRange):
            return self.order
        return None


class Compiled(Struct, frozen=True):
    """A compiled term: conditions on `Message`."""

    own_condition: ColumnElement[bool] | None = None
    """Never NULL, since the term may be negated. None: the message is in the place."""
    scope: Scope | None = None
    """Where to search instead of the reader's feed."""
    place: IndexRange | None = None
    """The place, if the term says nothing else."""
    channels: tuple[CachedChannel, ...] = ()
    """Further channels whose settings the scope depends on."""
    parts: tuple[Part, ...] = ()
    """The same condition, in parts that can be read along an index."""
    search: SearchText | None = None
    """The text to highlight."""

    @property
    def condition(self) -> ColumnElement[bool]:
        """That of the place is built when it is asked for: most pages are a whole place."""
        if self.own_condition is not None:
            return self.own_condition
        if self.place is None:
            raise RuntimeError("a term needs a condition or a place")
        return self.place.holds_or_not


class SentMessage(Protocol):
    """The fields of a message just sent that operators use."""

    @property
    def message_id(self) -> MessageId: ...

    @property
    def channel_id(self) -> ChannelId | None: ...

    @property
    def topic(self) -> str: ...

    @property
    def sender_id(self) -> UserId: ...

    @property
    def people_ids(self) -> frozenset[UserId]:
        """All participants of a direct message; empty for a channel message."""

    def flags_for(self, view: ClientView) -> Collection[str]: ...


class Operator(ABC):
    """One kind of term; found by its names, or by `operator:operand`."""

    names: ClassVar[tuple[str, ...]]

    @abstractmethod
    async def compile(self, operand: Operand, context: CompileContext) -> Compiled | None:
        """None: the term does not affect which messages to show, negated or not."""


class LiveOperator(Operator):
    """An operator that can also be evaluated for a message that was just sent."""

    async def resolve(self, operand: Operand, context: CompileContext) -> Operand:
        """Returns the operand in a form that needs no database."""
        del context
        return operand

    @abstractmethod
    def matches(self, operand: Operand, message: SentMessage, view: ClientView) -> bool: ...


def text_operand(operand: Operand, name: str) -> str:
    if not isinstance(operand, str):
        raise BadNarrowError(f"the operand of {name} must be a string")
    return operand


def id_operand(operand: Operand) -> int | None:
    """A number, or a string of digits."""
    if isinstance(operand, str) and operand.isdecimal():
        return min(int(operand), MAX_ID)
    return operand if isinstance(operand, int) else None


def message_operand(operand: Operand) -> MessageId:
    number = id_operand(operand)
    if number is None:
        raise BadNarrowError(f"invalid message ID {operand}")
    return MessageId(number)
