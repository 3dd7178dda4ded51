"""Reads which messages topics have, as far as they are not in memory."""

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, case, literal_column, select

from chatapi.channel_cache.topic_messages import (
    MOST_MESSAGES,
    NOBODY,
    TopicMessages,
    TopicMessagesCache,
)
from chatapi.core.ids import ConversationId, MessageId, RealmId
from chatapi.db.id_lists import NumbersById, joined_ids, split_ids
from chatapi.db.models import Conversation, Message
from chatapi.db.session import DatabaseSession

_CALL, _TOPIC_CALL = 1, 2
_MARKS = 4
"""An id and its marks are one number: what is read of a message are two numbers."""
_NO_MARK: ColumnElement[int] = literal_column("0")

_bounds = NumbersById.parameter("above")
_marks = case((Message.mentions_channel, literal_column(str(_CALL))), else_=_NO_MARK) + case(
    (Message.mentions_topic, literal_column(str(_TOPIC_CALL))), else_=_NO_MARK
)
_newest = (
    select(
        (Message.id * _MARKS + _marks).label("marked"),
        case((Message.read_by_sender, Message.sender_id), else_=NOBODY).label("read_by"),
    )
    .where(Message.conversation_id == Conversation.id, Message.id > _bounds.number)
    .order_by(Message.id.desc())
    .limit(MOST_MESSAGES)
    .correlate(Conversation, _bounds.rows)
    .subquery()
)
_OF_TOPICS = select(
    Conversation.id,
    Conversation.channel_id,
    Conversation.topic,
    Conversation.last_message_id,
    select(joined_ids(_newest.c.marked)).scalar_subquery(),
    select(joined_ids(_newest.c.read_by)).scalar_subquery(),
).join_from(_bounds.rows, Conversation, Conversation.id == _bounds.id)


class UnreadSpan(NamedTuple):
    """Where the unread messages of a reader are in a topic."""

    position: MessageId
    last: MessageId


class TopicMessagesRepository:
    """The messages of topics as of the snapshot that is read, with those that are in memory."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId, cache: TopicMessagesCache) -> None:
        self._db = db
        self._realm_id = realm_id
        self._cache = cache

    async def load(
        self, spans: Mapping[ConversationId, UnreadSpan]
    ) -> dict[ConversationId, TopicMessages] | None:
        """Return topics with all messages of the spans; None if a topic has too many."""
        as_of = self._db.snapshot_event
        topics = self._cache.find(self._realm_id, spans.keys(), as_of)
        bounds = _missing(spans, topics)
        if bounds:
            loading = await self._cache.begin(self._realm_id, as_of)
            for key, read in (await self._read(bounds)).items():
                known = topics.get(key)
                if known is None:
                    topics[key] = read
                    self._cache.keep(loading, key, read)
                    continue
                topics[key] = known.followed_by(read) if read.above == known.up_to else read
                self._cache.replace(self._realm_id, key, known, topics[key])
        are_complete = all(topics[key].above <= span.position for key, span in spans.items())
        return topics if are_complete else None

    async def _read(
        self, bounds: Mapping[ConversationId, MessageId]
    ) -> dict[ConversationId, TopicMessages]:
        rows = await self._db.fetch(_OF_TOPICS, {"above": bounds})
        topics = [_topic(row, bounds[ConversationId(row[0])]) for row in rows]
        return {topic.conversation_id: topic for topic in topics}


def _missing(
    spans: Mapping[ConversationId, UnreadSpan], topics: Mapping[ConversationId, TopicMessages]
) -> dict[ConversationId, MessageId]:
    """Above which message each topic has to be read."""
    bounds: dict[ConversationId, MessageId] = {}
    for key, (position, last) in spans.items():
        topic = topics.get(key)
        if topic is None or (topic.above > position and not topic.is_full):
            bounds[key] = position
        elif topic.up_to < last:
            bounds[key] = topic.up_to
    return bounds


def _topic(row: Sequence[Any], above: MessageId) -> TopicMessages:
    conversation_id, channel_id, topic, last, marked, read_by = row
    messages = sorted(zip(split_ids(marked), split_ids(read_by), strict=True))
    ids = [MessageId(number // _MARKS) for number, _ in messages]
    marks = [number % _MARKS for number, _ in messages]
    return TopicMessages(
        conversation_id=conversation_id,
        channel_id=channel_id,
        topic=topic,
        # There may be more before them.
        above=above if len(ids) < MOST_MESSAGES else ids[0],
        up_to=last,
        ids=array("q", ids),
        read_by=array("q", [reader for _, reader in messages]),
        calls=[each for each, mark in zip(ids, marks, strict=True) if mark & _CALL],
        topic_calls=[each for each, mark in zip(ids, marks, strict=True) if mark & _TOPIC_CALL],
    )
