"""Flags and read states of single messages for a reader."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar

from sqlalchemy import Select, bindparam, select

from chatapi.core.ids import (
    ChannelId,
    ConversationId,
    EventNumber,
    GroupId,
    MessageId,
    RealmId,
    UserId,
)
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import Message, MessageFlag
from chatapi.db.session import DatabaseSession
from chatapi.db.upsert import upsert
from chatapi.read_state.repository._state_columns import join_states, reader_values, state_columns

IdT = TypeVar("IdT", bound=int)

_IDS_PER_STATEMENT = 5_000
"""Both databases limit how many parameters one statement may have."""


class MessageState(NamedTuple):
    """A message with the reader's flags and read state; None where no row is stored."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    arrival: EventNumber | None
    position: MessageId
    """All messages of the conversation up to it are read, except for exceptions."""
    exception: bool | None
    is_read_by_sender: bool
    """Whether the reader sent it, and it was read by sending it."""
    is_subscribed: bool | None
    starred: bool | None
    collapsed: bool | None
    has_alert_word: bool | None
    is_mentioned: bool
    mentions_channel: bool
    mentions_topic: bool
    """Whether a topic wildcard mention reaches the reader, who took part in the topic before."""

    @property
    def is_direct(self) -> bool:
        return self.channel_id is None

    @property
    def is_after_position(self) -> bool:
        return self.id > self.position

    @property
    def is_unread(self) -> bool:
        return _is_unread(self)


class PageState(NamedTuple):
    """The same of a message on a page; most messages of a page have the same.

    Its fields are in the order of `state_number`.
    """

    is_direct: bool
    is_after_position: bool
    has_exception: bool
    is_read_by_exception: bool
    is_read_by_sender: bool
    is_subscribed: bool
    starred: bool
    collapsed: bool
    has_alert_word: bool
    is_mentioned: bool
    mentions_channel: bool
    mentions_topic: bool
    is_read_by_its_sender: bool
    """Whether its sender, who need not be the reader, read it by sending it."""
    mentions_participants: bool
    """Whether it has a topic wildcard mention, which need not reach the reader."""

    @classmethod
    def of(cls, number: int) -> "PageState":
        """Decode the number that a statement has returned."""
        return cls(*(bool(number >> place & 1) for place in range(len(cls._fields))))

    @property
    def exception(self) -> bool | None:
        return self.is_read_by_exception if self.has_exception else None

    @property
    def is_unread(self) -> bool:
        return _is_unread(self)


class _ReadState(Protocol):
    """What decides whether a message is unread."""

    @property
    def is_direct(self) -> bool: ...

    @property
    def is_after_position(self) -> bool: ...

    @property
    def exception(self) -> bool | None: ...

    @property
    def is_read_by_sender(self) -> bool: ...

    @property
    def is_subscribed(self) -> bool | None: ...


def _is_unread(state: _ReadState) -> bool:
    """Whether a message is unread; in channels, only subscribers have unread messages."""
    if not state.is_direct and not state.is_subscribed:
        return False
    if state.exception is not None:
        return not state.exception
    return state.is_after_position and not state.is_read_by_sender


_STATES: Select[*tuple[Any, ...]] = (
    join_states(
        select(
            Message.id,
            Message.conversation_id,
            Message.channel_id,
            Message.arrival,
            *state_columns(Message),
        ),
        Message,
    )
    .where(
        Message.realm_id == bindparam("realm_id"),
        is_one_of(Message.id, "message_ids"),
    )
    .order_by(Message.id)
)


class StateRepository:
    """The flags and read states of one reader."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId, user_id: UserId) -> None:
        self._db = db
        self._realm_id = realm_id
        self._user_id = user_id

    async def list_states(
        self, message_ids: Collection[MessageId], groups: Collection[GroupId]
    ) -> list[MessageState]:
        """States of the messages that exist, by id; one statement for thousands of them."""
        states: list[MessageState] = []
        for chunk in chunks(sorted(set(message_ids)), _IDS_PER_STATEMENT):
            rows = await self._db.execute(
                _STATES,
                {
                    "realm_id": self._realm_id,
                    "message_ids": chunk,
                    **reader_values(self._user_id, groups),
                },
            )
            states += [MessageState(*row) for row in rows.all()]
        return states

    async def note(self, states: Iterable[MessageState], flag: str, *, value: bool) -> None:
        """Set or clear the starred or collapsed flag of messages."""
        rows: list[dict[str, Any]] = [
            {
                "user_id": self._user_id,
                "message_id": state.id,
                "starred": bool(state.starred),
                "collapsed": bool(state.collapsed),
                "has_alert_word": bool(state.has_alert_word),
                flag: value,
            }
            for state in states
        ]
        await upsert(self._db, MessageFlag, rows)


def chunks(ids: Sequence[IdT], size: int) -> Iterator[list[IdT]]:
    remaining = iter(ids)
    while chunk := list(islice(remaining, size)):
        yield chunk
