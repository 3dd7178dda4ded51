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
from chatapi.read_state.repository._state_columns import join_states, state_columns

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
    def is_unread(self) -> bool:
        return is_unread(self)


class ReadState(Protocol):
    """What decides whether a message is unread."""

    @property
    def id(self) -> MessageId: ...

    @property
    def channel_id(self) -> ChannelId | None: ...

    @property
    def position(self) -> MessageId: ...

    @property
    def exception(self) -> bool | None: ...

    @property
    def is_read_by_sender(self) -> bool: ...

    @property
    def is_subscribed(self) -> bool | None: ...


def is_unread(state: ReadState) -> bool:
    """Whether a message is unread; in channels, only subscribers have unread messages."""
    if state.channel_id is not None and not state.is_subscribed:
        return False
    if state.exception is not None:
        return not state.exception
    return state.id > state.position and not state.is_read_by_sender


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
                    "reader_id": self._user_id,
                    "realm_id": self._realm_id,
                    "message_ids": chunk,
                    "group_ids": list(groups),
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
