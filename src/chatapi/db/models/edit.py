"""The edit history of messages: earlier texts, topics and channels."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text

from chatapi.db.base import Base, BigId, TableColumn, table_column
from chatapi.db.partial_indexes import partial_index


def _left(place: str) -> Index:
    """Index of the messages that left a conversation or channel, in the order in which they did."""
    is_left = f"{place} IS NOT NULL"
    return partial_index(None, place, "id", sqlite=is_left, postgresql=is_left)


class MessageEdit(Base):
    """One change: of a single message, or of the topic that many messages have.

    Renaming a topic adds one row, however many messages it has. When a message is moved to another
    conversation, such rows are copied for it.
    """

    __tablename__ = "message_edit"
    __table_args__ = (
        Index(None, "message_id"),
        Index(None, "conversation_id"),
        Index(None, "editor_id"),
        _left("prev_conversation_id"),
        _left("prev_channel_id"),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    """Ids have the order of the changes."""
    message_id: TableColumn[int | None] = table_column(BigId, ForeignKey("message.id"))
    """None if a topic was renamed."""
    conversation_id: TableColumn[int | None] = table_column(BigId, ForeignKey("conversation.id"))
    """The topic that was renamed; None for a change of one message."""
    up_to: TableColumn[int | None] = table_column(BigId)
    """The last message of the topic at that time."""
    editor_id: TableColumn[int | None] = table_column(BigId, ForeignKey("account.id"))
    edited_at: TableColumn[datetime]
    prev_content: TableColumn[str | None] = table_column(Text)
    prev_rendered_content: TableColumn[str | None] = table_column(Text)
    prev_topic: TableColumn[str | None] = table_column(String(60))
    prev_channel_id: TableColumn[int | None] = table_column(BigId, ForeignKey("channel.id"))
    prev_conversation_id: TableColumn[int | None] = table_column(BigId)
    """The conversation a message left, which may not exist any more; None for other changes."""
