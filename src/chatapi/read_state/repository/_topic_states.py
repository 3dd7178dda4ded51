"""What a reader did with the newest messages of a topic, where these are in memory."""

from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from operator import add
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    case,
    func,
    literal_column,
    null,
    select,
    union_all,
)

from chatapi.core.ids import (
    ChannelId,
    ConversationId,
    EventNumber,
    GroupId,
    MessageId,
    RealmId,
    UserId,
)
from chatapi.db.base import TableColumn
from chatapi.db.clocks import LAST_EVENT
from chatapi.db.highest import highest
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import (
    ConversationReadPosition,
    GroupMention,
    Mention,
    MessageFlag,
    ReadException,
    Subscription,
)
from chatapi.db.opaque_values import opaque_number
from chatapi.db.session import DatabaseSession
from chatapi.events.newest_pages import SharedMessage
from chatapi.narrow.unread import GLOBAL_READ_POSITION, READER
from chatapi.read_state.repository._state_columns import reader_values
from chatapi.read_state.repository._states import PageState

_MOST_ROWS = 500
"""A reader with flags of more messages between those of a page is better served by a join."""
_CONVERSATION = opaque_number("conversation_id")
_CHANNEL = opaque_number("channel_id")
_NONE: ColumnElement[int] = literal_column("0", BigInteger)


def _bit(name: str) -> int:
    return 1 << PageState._fields.index(name)


_AFTER_POSITION = _bit("is_after_position")
_READ_BY_SENDER = _bit("is_read_by_sender")
_READ_BY_ITS_SENDER = _bit("is_read_by_its_sender")
_MENTIONS_PARTICIPANTS = _bit("mentions_participants")
_SHARED = _READ_BY_ITS_SENDER | _bit("mentions_channel")


def _bits(*names: str) -> ColumnElement[int]:
    return literal_column(str(sum(map(_bit, names))), BigInteger)


def _bit_where(condition: ColumnElement[bool], *names: str) -> ColumnElement[int]:
    return case((condition, _bits(*names)), else_=_NONE)


def _sum(*numbers: ColumnElement[int]) -> ColumnElement[int]:
    return reduce(add, numbers)


def _of_topic() -> Select[*tuple[Any, ...]]:
    """The realm's last event, and what concerns all messages of the topic."""
    in_topic = (
        select(func.max(ConversationReadPosition.message_id))
        .where(
            ConversationReadPosition.user_id == READER,
            ConversationReadPosition.conversation_id == _CONVERSATION,
        )
        .scalar_subquery()
    )
    subscription = select(Subscription).where(
        Subscription.user_id == READER, Subscription.channel_id == _CHANNEL
    )
    in_channel = subscription.with_only_columns(func.max(Subscription.read_up_to)).scalar_subquery()
    is_subscribed = subscription.with_only_columns(
        func.max(_bit_where(Subscription.is_active, "is_subscribed"))
    ).scalar_subquery()
    return select(
        LAST_EVENT.label("as_of"),
        highest(
            func.coalesce(in_topic, 0), func.coalesce(in_channel, 0), GLOBAL_READ_POSITION
        ).label("number"),
        func.coalesce(is_subscribed, 0).label("bits"),
    )


def _of_messages() -> tuple[Select[*tuple[Any, ...]], ...]:
    """What concerns single messages, of which most readers have few."""

    def in_page(
        message_id: TableColumn[int], bits: ColumnElement[int], *conditions: ColumnElement[bool]
    ) -> Select[*tuple[Any, ...]]:
        within = message_id.between(opaque_number("first_id"), opaque_number("last_id"))
        return select(null(), message_id, bits).where(within, *conditions)

    return (
        in_page(
            ReadException.message_id,
            _sum(_bits("has_exception"), _bit_where(ReadException.is_read, "is_read_by_exception")),
            ReadException.user_id == READER,
            ReadException.conversation_id == _CONVERSATION,
        ),
        in_page(
            MessageFlag.message_id,
            _sum(
                _bit_where(MessageFlag.starred, "starred"),
                _bit_where(MessageFlag.collapsed, "collapsed"),
                _bit_where(MessageFlag.has_alert_word, "has_alert_word"),
            ),
            MessageFlag.user_id == READER,
        ),
        in_page(Mention.message_id, _bits("is_mentioned"), Mention.user_id == READER),
        in_page(
            GroupMention.message_id,
            _bits("is_mentioned"),
            is_one_of(GroupMention.group_id, "group_ids"),
        ),
    )


_STATES = union_all(_of_topic(), *_of_messages()).limit(_MOST_ROWS + 1)


class TopicStates(Struct, frozen=True):
    """A reader's states of the messages of a topic, as of an event."""

    as_of: EventNumber
    reader_id: UserId | None
    position: MessageId
    bits: int
    """Those that all messages have."""
    bits_of: Mapping[MessageId, int]
    """Those of single messages."""

    def numbers(self, messages: Sequence[SharedMessage]) -> list[int]:
        """The same numbers as `state_number` has for the messages."""
        common, position, bits_of = self.bits, self.position, self.bits_of
        numbers = [
            common | each.state | (_AFTER_POSITION if each.id > position else 0)
            for each in messages
        ]
        own = self.reader_id
        for place, (each, state) in enumerate(zip(messages, numbers, strict=True)):
            if state & _READ_BY_ITS_SENDER and each.sender_id == own:
                numbers[place] |= _READ_BY_SENDER
        if bits_of:
            for place, each in enumerate(messages):
                numbers[place] |= bits_of.get(each.id, 0)
        return numbers


def shared_state(state: int) -> int:
    """What all readers share of a message's state."""
    return state & _SHARED


def mentions_participants(state: int) -> bool:
    """Whether a reader's state depends on other messages: on those they wrote in the topic."""
    return bool(state & _MENTIONS_PARTICIPANTS)


class TopicStateRepository:
    """Reads the states of one reader by a statement that returns what differs between messages.

    For a page whose messages are in memory. A join, with a row for each message, costs several
    times as much, of the database and of the driver.
    """

    def __init__(
        self,
        db: DatabaseSession,
        realm_id: RealmId,
        reader_id: UserId | None,
        groups: Collection[GroupId],
    ) -> None:
        self._db = db
        self._reader_id = reader_id
        self._values = {"realm_id": realm_id, **reader_values(reader_id, groups)}

    async def find(
        self,
        channel_id: ChannelId,
        conversation_id: ConversationId,
        between: tuple[MessageId, MessageId],
    ) -> TopicStates | None:
        """States of messages between two ids, both included; None if too much differs."""
        first_id, last_id = between
        values = {
            "channel_id": channel_id,
            "conversation_id": conversation_id,
            "first_id": first_id,
            "last_id": last_id,
        }
        rows = await self._db.fetch_alone(_STATES, {**self._values, **values})
        if len(rows) > _MOST_ROWS:
            return None
        bits_of: dict[MessageId, int] = {}
        of_topic: Sequence[Any] = ()
        for row in rows:
            as_of, number, bits = row
            if as_of is None:
                bits_of[number] = bits_of.get(number, 0) | bits
            else:
                of_topic = row
        as_of, position, bits = of_topic
        return TopicStates(as_of, self._reader_id, position, bits, bits_of)
