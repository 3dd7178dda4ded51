"""Writes messages and topics to their new place."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, bindparam, exists, func, insert, literal, not_, select, update
from sqlalchemy.orm import aliased

from chatapi.core.ids import ChannelId, ConversationId, EventNumber, MessageId, RealmId, UserId
from chatapi.core.names import name_key
from chatapi.db.models import Conversation, Message, MessageEdit, ReadException
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.move.repository._conditions import matching
from chatapi.features.messages.move.selection import MessageSelection, TopicRecord

_own_move = aliased(MessageEdit)
_topics = RecordReader(TopicRecord, Conversation)
_BY_TOPIC = _topics.select().where(
    Conversation.channel_id == bindparam("channel_id"), Conversation.topic_key == bindparam("key")
)
_BY_ID = _topics.select().where(Conversation.id == bindparam("conversation_id"))
_COLUMNS = ["message_id", "editor_id", "edited_at", "prev_topic", "prev_channel_id"]
_ARRIVALS: Select[*tuple[Any, ...]] = select(Message.id, Message.arrival)
_BOUNDS: Select[*tuple[Any, ...]] = select(func.min(Message.id), func.max(Message.id))


@dataclass(frozen=True)
class Bounds:
    """The first and the last id of some messages."""

    first: MessageId
    last: MessageId


@dataclass(frozen=True)
class Change:
    """Which user moves messages, when, and their previous place; None for what stays unchanged."""

    editor_id: UserId
    now: datetime
    prev_topic: str | None
    prev_channel_id: ChannelId | None


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

    async def list_newest_arrivals(
        self, selection: MessageSelection, limit: int
    ) -> dict[MessageId, EventNumber | None]:
        """The same for the newest messages."""
        newest = _ARRIVALS.where(*matching(selection)).order_by(Message.id.desc()).limit(limit)
        rows = (await self._db.execute(newest)).all()
        return dict(reversed(rows))

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

    async def move(
        self,
        selection: MessageSelection,
        target: ConversationId,
        change: Change,
        arrival: tuple[ChannelId, EventNumber] | None,
    ) -> None:
        """Move messages to another conversation, and to another channel if one is given."""
        await self._note_move(selection, change)
        await self._db.execute(
            update(ReadException)
            .where(
                ReadException.conversation_id == selection.conversation_id,
                ReadException.message_id.in_(select(Message.id).where(*matching(selection))),
            )
            .values(conversation_id=target)
        )
        values: dict[str, object] = {"conversation_id": target, "last_moved_at": change.now}
        if arrival is not None:
            values["channel_id"], values["arrival"] = arrival
        await self._db.execute(update(Message).where(*matching(selection)).values(**values))

    async def copy_renamings(self, selection: MessageSelection) -> None:
        """Copy the earlier renames of the topic to each moved message, so that they follow it."""
        moved_since = (
            exists()
            .where(
                _own_move.message_id == Message.id,
                _own_move.prev_topic.is_not(None) | _own_move.prev_channel_id.is_not(None),
                _own_move.id > MessageEdit.id,
            )
            .correlate(Message, MessageEdit)
        )
        renamings = (
            select(
                Message.id,
                MessageEdit.editor_id,
                MessageEdit.edited_at,
                MessageEdit.prev_topic,
                MessageEdit.prev_channel_id,
            )
            .join(MessageEdit, MessageEdit.conversation_id == Message.conversation_id)
            .where(*matching(selection), Message.id <= MessageEdit.up_to, not_(moved_since))
            .order_by(MessageEdit.id)
        )
        await self._db.execute(insert(MessageEdit).from_select(_COLUMNS, renamings))

    async def _note_move(self, selection: MessageSelection, change: Change) -> None:
        """Add this move to the edit history of each message."""
        this_move = select(
            Message.id,
            literal(change.editor_id, MessageEdit.editor_id.type),
            literal(change.now, MessageEdit.edited_at.type),
            literal(change.prev_topic, MessageEdit.prev_topic.type),
            literal(change.prev_channel_id, MessageEdit.prev_channel_id.type),
            Message.conversation_id,
        ).where(*matching(selection))
        await self._db.execute(
            insert(MessageEdit).from_select([*_COLUMNS, "prev_conversation_id"], this_move)
        )
