"""Every SQL statement of editing texts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import (
    BigInteger,
    Select,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from chatapi.core.ids import ChannelId, ConversationId, MessageId, UserId
from chatapi.db.models import GroupMention, Mention, Message, MessageEdit
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession

MAX_EARLIER_TEXT = 4 * 1024 * 1024
"""Limit of the characters of earlier texts, raw and rendered, that a message may have and that one
request reads.
"""


class MessageText(Struct, frozen=True):
    """The text of a message."""

    id: MessageId
    content: str
    rendered_content: str
    sent_at: datetime
    mentions_channel: bool
    mentions_topic: bool
    has_widget: bool


class EditRecord(Struct, frozen=True):
    """One edit, and the previous values; None for what stayed unchanged."""

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
    changes_text: bool
    """Whether it has an earlier text, also if that text was too long to be read."""

    @property
    def is_move(self) -> bool:
        return self.prev_topic is not None or self.prev_channel_id is not None


_texts = RecordReader(MessageText, Message)
_TEXT = _texts.select().where(Message.id == bindparam("message_id"))
_FORGET_MENTIONS = delete(Mention).where(Mention.message_id == bindparam("of_message"))
_FORGET_GROUPS = delete(GroupMention).where(GroupMention.message_id == bindparam("of_message"))
_TEXT_LENGTH = func.coalesce(func.length(MessageEdit.prev_content), 0) + func.coalesce(
    func.length(MessageEdit.prev_rendered_content), 0
)
_TEXTS_OF_MESSAGE = select(
    func.count(MessageEdit.prev_content), func.coalesce(func.sum(_TEXT_LENGTH), 0)
).where(MessageEdit.message_id == bindparam("message_id"))


def _edits() -> Select[*tuple[Any, ...]]:
    """Edits with their earlier texts, as far back as these do not exceed the limit in total."""
    so_far = func.sum(_TEXT_LENGTH).over(order_by=MessageEdit.id.desc())
    found = (
        select(MessageEdit.__table__, so_far.label("so_far"))
        .where(
            or_(
                MessageEdit.message_id.in_(bindparam("message_ids", expanding=True)),
                MessageEdit.conversation_id.in_(bindparam("conversation_ids", expanding=True)),
            )
        )
        .subquery()
    ).c
    is_read = found.so_far <= bindparam("most_text", type_=BigInteger)
    return select(
        found.id,
        found.message_id,
        found.conversation_id,
        found.up_to,
        found.editor_id,
        found.edited_at,
        case((is_read, found.prev_content)),
        case((is_read, found.prev_rendered_content)),
        found.prev_topic,
        found.prev_channel_id,
        found.prev_content.is_not(None),
    ).order_by(found.edited_at, found.id)


_EDITS = _edits()


class EditRepository:
    """Texts of messages and their edits."""

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
        """Store an edit with the previous values."""
        await self._db.execute(insert(MessageEdit).values(**values))

    async def list_edits(
        self, message_ids: Sequence[MessageId], conversation_ids: Iterable[ConversationId]
    ) -> list[EditRecord]:
        """The edits of some messages and the renames of some topics, the oldest first.

        Of the texts, only the newest are read, up to `MAX_EARLIER_TEXT` characters in total.
        """
        values = {
            "message_ids": list(message_ids),
            "conversation_ids": list(conversation_ids),
            "most_text": MAX_EARLIER_TEXT,
        }
        rows = await self._db.execute(_EDITS, values)
        return [EditRecord(*row) for row in rows.all()]

    async def count_texts(self, message_id: MessageId) -> tuple[int, int]:
        """How many earlier texts a message has, and their total length."""
        rows = await self._db.execute(_TEXTS_OF_MESSAGE, {"message_id": message_id})
        count, length = rows.one()
        return count, int(length)
