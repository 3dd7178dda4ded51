"""Every SQL statement of deleting messages."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import compress
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    bindparam,
    delete,
    exists,
    func,
    literal,
    select,
    update,
)

from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, RealmId, UserId
from chatapi.db.base import Base, TableColumn
from chatapi.db.id_lists import is_one_of
from chatapi.db.index_order import IndexRange
from chatapi.db.models import (
    AttachmentMessage,
    Conversation,
    ConversationMember,
    ConversationReadPosition,
    GroupMention,
    Mention,
    Message,
    MessageEdit,
    MessageFlag,
    PendingMove,
    Reaction,
    ReadException,
    Submessage,
    User,
)
from chatapi.db.session import DatabaseSession

DEPENDENTS_OF_MESSAGES: tuple[type[Base], ...] = (
    Mention,
    GroupMention,
    MessageFlag,
    ReadException,
    Reaction,
    Submessage,
    AttachmentMessage,
    MessageEdit,
)
"""Tables with rows that refer to a message by `message_id` and are deleted with it; a test finds
missing ones.
"""

DEPENDENTS_OF_CONVERSATIONS: tuple[type[Base], ...] = (
    ConversationReadPosition,
    ReadException,
    ConversationMember,
    MessageEdit,
    PendingMove,
)
"""The same by `conversation_id`, in addition to the messages."""

NOTHING_LEFT = MessageId(0)
"""The last message of a conversation that has no messages."""

_LAST_ID = 2**63 - 1


def _column(table: type[Base], key: str) -> TableColumn[int]:
    column: TableColumn[int] = getattr(table, key)
    return column


def _references(table: type[Base], key: str) -> ColumnElement[bool]:
    return is_one_of(_column(table, key), f"{key}s")


_DELETE_DEPENDENTS = {
    table: delete(table).where(_references(table, "message_id")) for table in DEPENDENTS_OF_MESSAGES
}
_DELETE_MESSAGES = delete(Message).where(is_one_of(Message.id, "message_ids"))
_DELETE_DEPENDENTS_OF_CONVERSATIONS = tuple(
    delete(table).where(_references(table, "conversation_id"))
    for table in DEPENDENTS_OF_CONVERSATIONS
)
_DELETE_CONVERSATIONS = delete(Conversation).where(is_one_of(Conversation.id, "conversation_ids"))
_TO_DELETE: Select[*tuple[Any, ...]] = (
    select(
        Message.id,
        Message.conversation_id,
        Message.channel_id,
        Message.arrival,
        Conversation.topic,
        Message.sent_at,
        # Checked here, since few messages have such rows: checking is cheaper than deleting
        # nothing.
        *(
            exists().where(_column(table, "message_id") == Message.id).correlate(Message)
            for table in DEPENDENTS_OF_MESSAGES
        ),
    )
    .join(Conversation, Conversation.id == Message.conversation_id)
    .where(Message.realm_id == bindparam("realm_id"), is_one_of(Message.id, "message_ids"))
    .order_by(Message.id)
)
# Of a topic that had most of the messages and has none left, min() and max() would make PostgreSQL
# look at all messages of all.
_OF_CONVERSATION = IndexRange(Message.id, Message.conversation_id, Conversation.id)
_EXTENTS: Select[*tuple[Any, ...]] = select(
    Conversation.id,
    Conversation.channel_id,
    Conversation.last_message_id,
    select(Message.id)
    .where(_OF_CONVERSATION.since(literal(0, BigInteger)))
    .order_by(*_OF_CONVERSATION.ascending)
    .limit(1)
    .correlate(Conversation)
    .scalar_subquery(),
    select(Message.id)
    .where(_OF_CONVERSATION.up_to(literal(_LAST_ID, BigInteger)))
    .order_by(*_OF_CONVERSATION.descending)
    .limit(1)
    .correlate(Conversation)
    .scalar_subquery(),
).where(is_one_of(Conversation.id, "conversation_ids"))
_SET_EXTENT = (
    update(Conversation)
    .where(Conversation.id == bindparam("conversation"))
    .values(first_message_id=bindparam("first"), last_message_id=bindparam("last"))
)
# PostgreSQL checks that no message refers to a deleted conversation. If it remembers that the topic
# had most of the messages, it would read all of them for that. Ends with the transaction.
_BY_INDEX = select(func.set_config("enable_seqscan", "off", True))
_ORIGIN: Select[*tuple[Any, ...]] = (
    select(Message.sender_id, User.bot_owner_id, Message.sent_at)
    .join(User, User.id == Message.sender_id)
    .where(Message.id == bindparam("message_id"))
)


class MessageToDelete(Struct, frozen=True):
    """A message, its conversation, and when it arrived there."""

    id: MessageId
    conversation_id: ConversationId
    channel_id: ChannelId | None
    arrival: EventNumber | None
    topic: str
    sent_at: datetime
    dependents: frozenset[type[Base]]
    """The tables with rows that depend on it: mostly few, or none."""

    @property
    def links_files(self) -> bool:
        return AttachmentMessage in self.dependents

    @property
    def has_flags(self) -> bool:
        """Whether a user starred it, or has another flag on it."""
        return MessageFlag in self.dependents


class Origin(Struct, frozen=True):
    """The sender of a message, and when it was sent."""

    sender_id: UserId
    bot_owner_id: UserId | None
    sent_at: datetime

    def is_of(self, user_id: UserId) -> bool:
        """Whether the user or one of the user's bots sent it."""
        return user_id in {self.sender_id, self.bot_owner_id}


class Extent(Struct, frozen=True):
    """The first and the last message of a conversation."""

    conversation: ConversationId
    first: MessageId
    last: MessageId


class DeletionRepository:
    """Deletes messages of one realm, with all dependent rows."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get_origin(self, message_id: MessageId) -> Origin:
        rows = await self._db.execute(_ORIGIN, {"message_id": message_id})
        return Origin(*rows.one())

    async def list_newest(self, visible: ColumnElement[bool], limit: int) -> list[MessageId]:
        """The newest of some messages."""
        rows = await self._db.execute(
            select(Message.id).where(visible).order_by(Message.id.desc()).limit(limit)
        )
        return [MessageId(message_id) for (message_id,) in rows]

    async def list_to_delete(self, message_ids: Collection[MessageId]) -> list[MessageToDelete]:
        """The messages that exist among the given ids, by id."""
        rows = await self._db.execute(
            _TO_DELETE, {"realm_id": self._realm_id, "message_ids": list(message_ids)}
        )
        return [_read_message(row) for row in rows]

    async def delete(self, messages: Sequence[MessageToDelete]) -> None:
        """Delete messages that were just looked up, and before them their dependent rows."""
        dependents = frozenset[type[Base]]().union(*(message.dependents for message in messages))
        of_hanging = (_DELETE_DEPENDENTS[table] for table in dependents)
        for statement in (*of_hanging, _DELETE_MESSAGES):
            await self._db.execute(statement, {"message_ids": [each.id for each in messages]})

    async def update_extents(
        self, conversation_ids: Iterable[ConversationId]
    ) -> set[ConversationId]:
        """Update the first and last messages of conversations; returns those without messages.

        Topics among these are deleted; direct conversations are kept, so that their participants
        can still see each other.
        """
        rows = await self.find_ends(conversation_ids)
        empty: set[ConversationId] = set()
        topics: list[ConversationId] = []
        extents: list[Extent] = []
        for conversation_id, channel_id, old_last, first, last in rows:
            extent = Extent(ConversationId(conversation_id), first, last)
            if first is None:
                empty.add(ConversationId(conversation_id))
                extent = replace(extent, first=MessageId(old_last + 1), last=NOTHING_LEFT)
            if first is None and channel_id is not None:
                topics.append(ConversationId(conversation_id))
            else:
                extents.append(extent)
        await self.set_extents(extents)
        if topics:
            await self.delete_topics(topics)
        return empty

    async def find_ends(
        self, conversation_ids: Iterable[ConversationId]
    ) -> Sequence[Sequence[Any]]:
        """Look up the first and last messages of conversations, as they are now.

        PostgreSQL passes the index entries of messages that were there before, and skips them the
        next time. So it is faster under the lock if it has happened before the lock, too.
        """
        rows = await self._db.execute(_EXTENTS, {"conversation_ids": list(conversation_ids)})
        return rows.all()

    async def delete_topics(self, conversation_ids: Sequence[ConversationId]) -> None:
        """Delete conversations that have no messages, with what depends on them."""
        if not self._db.database.is_sqlite:
            await self._db.execute(_BY_INDEX)
        for statement in (*_DELETE_DEPENDENTS_OF_CONVERSATIONS, _DELETE_CONVERSATIONS):
            await self._db.execute(statement, {"conversation_ids": list(conversation_ids)})

    async def set_extents(self, extents: Collection[Extent]) -> None:
        """Set the first and last messages of conversations where they are known."""
        if extents:
            await self._db.execute(_SET_EXTENT, [asdict(extent) for extent in extents])


def _read_message(row: Sequence[Any]) -> MessageToDelete:
    facts, hangs = row[: -len(DEPENDENTS_OF_MESSAGES)], row[-len(DEPENDENTS_OF_MESSAGES) :]
    return MessageToDelete(*[*facts, frozenset(compress(DEPENDENTS_OF_MESSAGES, hangs))])
