"""Looks up topics and the messages of a selection, and renames topics."""

from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Select, and_, bindparam, func, insert, or_, select, update

from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, RealmId
from chatapi.core.names import name_key
from chatapi.db.models import Conversation, Message, MessageEdit
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.move.repository._batches import Change
from chatapi.features.messages.move.repository._conditions import matching
from chatapi.features.messages.move.selection import MessageSelection, TopicRecord

_topics = RecordReader(TopicRecord, Conversation)
_IS_TOPIC = and_(
    Conversation.channel_id == bindparam("channel_id"), Conversation.topic_key == bindparam("key")
)
_HAS_ID = Conversation.id == bindparam("conversation_id")
_BY_TOPIC = _topics.select().where(_IS_TOPIC)
_BY_ID = _topics.select().where(_HAS_ID)
_BOTH = _topics.select().where(or_(_HAS_ID, _IS_TOPIC))
_ARRIVALS: Select[*tuple[Any, ...]] = select(Message.id, Message.arrival)
_BOUNDS: Select[*tuple[Any, ...]] = select(func.min(Message.id), func.max(Message.id))


class Bounds(Struct, frozen=True):
    """The first and the last id of some messages."""

    first: MessageId
    last: MessageId


class MoveRepository:
    """Conversations of one realm and their messages."""

    def __init__(self, db: DatabaseSession, realm_id: RealmId) -> None:
        self._db = db
        self._realm_id = realm_id

    async def get_topic(self, conversation_id: ConversationId) -> TopicRecord:
        rows = await self._db.execute(_BY_ID, {"conversation_id": conversation_id})
        return _topics.read(rows.one())

    async def find_topic(self, channel_id: ChannelId, topic: str) -> TopicRecord | None:
        rows = await self._db.execute(_BY_TOPIC, {"channel_id": channel_id, "key": name_key(topic)})
        row = rows.one_or_none()
        return None if row is None else _topics.read(row)

    async def find_both(
        self, conversation_id: ConversationId, channel_id: ChannelId, topic: str
    ) -> tuple[TopicRecord | None, TopicRecord | None]:
        """The topic of a conversation, and the other topic with a name; None if it has none."""
        values = {"channel_id": channel_id, "key": name_key(topic)}
        rows = await self._db.execute(_BOTH, {**values, "conversation_id": conversation_id})
        found = {record.id: record for record in _topics.read_all(rows)}
        source = found.pop(conversation_id, None)
        return source, next(iter(found.values()), None)

    async def find_bounds(self, selection: MessageSelection) -> Bounds | None:
        """None if the selection is empty."""
        first, last = (await self._db.execute(_BOUNDS.where(*matching(selection)))).one()
        return None if first is None else Bounds(MessageId(first), MessageId(last))

    async def leaves_some(self, selection: MessageSelection) -> bool:
        """Whether some messages of the conversation are not in the selection."""
        in_scope = select(Message.id).where(*matching(selection))
        rows = await self._db.execute(
            select(Message.id)
            .where(
                Message.conversation_id == selection.conversation_id, Message.id.not_in(in_scope)
            )
            .limit(1)
        )
        return rows.first() is not None

    async def get_sent_at(self, message_id: MessageId) -> datetime:
        rows = await self._db.execute(select(Message.sent_at).where(Message.id == message_id))
        return rows.scalar_one()

    async def count(self, selection: MessageSelection, most: int | None = None) -> int:
        """The number of messages; with `most`, no more are counted."""
        counted = select(Message.id).where(*matching(selection)).limit(most).subquery()
        rows = await self._db.execute(select(func.count(counted.c.id)))
        return rows.scalar_one()

    async def find_young(
        self, selection: MessageSelection, since: datetime
    ) -> tuple[MessageId | None, int]:
        """The first message that was sent since a moment, and the number of such messages."""
        young = (*matching(selection), Message.sent_at >= since)
        first, _last = (await self._db.execute(_BOUNDS.where(*young))).one()
        rows = await self._db.execute(select(func.count(Message.id)).where(*young))
        return first, rows.scalar_one()

    async def list_arrivals(
        self, selection: MessageSelection
    ) -> dict[MessageId, EventNumber | None]:
        """The message ids in order, each with the number of the event that moved it, if any."""
        rows = await self._db.execute(_ARRIVALS.where(*matching(selection)).order_by(Message.id))
        return dict(rows.all())

    async def rename(self, source_topic: TopicRecord, topic: str, change: Change) -> int:
        """Rename a topic with all of its messages: a fixed number of rows, however many messages.

        Returns the number of the change.
        """
        await self._db.execute(
            update(Conversation)
            .where(Conversation.id == source_topic.id)
            .values(
                topic=topic, topic_key=name_key(topic), renamed_up_to=source_topic.last_message_id
            )
        )
        rows = await self._db.execute(
            insert(MessageEdit)
            .values(
                conversation_id=source_topic.id,
                up_to=source_topic.last_message_id,
                editor_id=change.editor_id,
                edited_at=change.now,
                prev_topic=change.prev_topic,
            )
            .returning(MessageEdit.id)
        )
        return rows.scalar_one()
