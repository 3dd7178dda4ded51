"""Every SQL statement of changing a text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, insert, or_, update

from chatapi.core.ids import ChannelId, ConversationId, MessageId, UserId
from chatapi.db.models import GroupMention, Mention, Message, MessageEdit
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession


@dataclass(frozen=True)
class MessageText:
    """What a message says."""

    id: MessageId
    content: str
    rendered_content: str
    sent_at: datetime
    mentions_channel: bool
    mentions_topic: bool


@dataclass(frozen=True)
class EditRecord:
    """One change, and what was there before; None for what stayed."""

    id: int
    message_id: MessageId | None
    conversation_id: ConversationId | None
    up_to: MessageId | None
    editor_id: UserId | None
    edited_at: datetime
    prev_content: str | None
    prev_rendered_content: str | None
    prev_topic: str | None
    prev_channel_id: ChannelId | None

    @property
    def is_move(self) -> bool:
        return self.prev_topic is not None or self.prev_channel_id is not None


_texts = RecordReader(MessageText, Message)
_edits = RecordReader(EditRecord, MessageEdit)
_TEXT = _texts.select().where(Message.id == bindparam("message_id"))
_FORGET_MENTIONS = delete(Mention).where(Mention.message_id == bindparam("of_message"))
_FORGET_GROUPS = delete(GroupMention).where(GroupMention.message_id == bindparam("of_message"))
_EDITS = (
    _edits.select()
    .where(
        or_(
            MessageEdit.message_id.in_(bindparam("message_ids", expanding=True)),
            MessageEdit.conversation_id.in_(bindparam("conversation_ids", expanding=True)),
        )
    )
    .order_by(MessageEdit.edited_at, MessageEdit.id)
)


class EditRepository:
    """Texts and their changes."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def get_text(self, message_id: MessageId) -> MessageText:
        rows = await self._db.execute(_TEXT, {"message_id": message_id})
        return _texts.read(rows.one())

    async def change_text(self, message_id: MessageId, values: Mapping[str, Any]) -> None:
        await self._db.execute(update(Message).where(Message.id == message_id).values(**values))

    async def forget_mentions(self, message_id: MessageId) -> None:
        for statement in (_FORGET_MENTIONS, _FORGET_GROUPS):
            await self._db.execute(statement, {"of_message": message_id})

    async def note(self, **values: object) -> None:
        """Remember what was there before."""
        await self._db.execute(insert(MessageEdit).values(**values))

    async def list_edits(
        self, message_ids: Sequence[MessageId], conversation_ids: Iterable[ConversationId]
    ) -> list[EditRecord]:
        """The changes of some messages and the renamings of some topics, the oldest first."""
        rows = await self._db.execute(
            _EDITS, {"message_ids": list(message_ids), "conversation_ids": list(conversation_ids)}
        )
        return [_edits.read(row) for row in rows]
