"""What messages were before: earlier texts, and the places they came from."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


def _left(place: str) -> Index:
    """The messages that left a place, in the order in which they did."""
    is_left = text(f"{place} IS NOT NULL")
    return Index(None, place, "id", sqlite_where=is_left, postgresql_where=is_left)


class MessageEdit(Base):
    """One change: of a single message, or of the topic that many messages have.

    A topic that is renamed is one row, however many messages it has. Its messages take such rows
    along as their own when they leave for another conversation.
    """

    __tablename__ = "message_edit"
    __table_args__ = (
        Index(None, "message_id"),
        Index(None, "conversation_id"),
        _left("prev_conversation_id"),
        _left("prev_channel_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    """In the order of the changes."""
    message_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("message.id"))
    """None for a topic that was renamed."""
    conversation_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("conversation.id"))
    """The topic that was renamed, None for a change of one message."""
    up_to: Mapped[int | None] = mapped_column(BigId)
    """The last message the topic had then."""
    editor_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("account.id"))
    edited_at: Mapped[datetime]
    prev_content: Mapped[str | None] = mapped_column(Text)
    prev_rendered_content: Mapped[str | None] = mapped_column(Text)
    prev_topic: Mapped[str | None] = mapped_column(String(60))
    prev_channel_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("channel.id"))
    prev_conversation_id: Mapped[int | None] = mapped_column(BigId)
    """Which conversation a message left, which may be gone by now; None for all other changes."""
