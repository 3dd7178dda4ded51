"""Widgets: polls, todo lists and forms in messages."""

from sqlalchemy import ForeignKey, Identity, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class Submessage(Base):
    """A widget of a message, or what a user did with it, such as a vote."""

    __tablename__ = "submessage"
    __table_args__ = (
        Index(None, "message_id", "id"),
        Index(None, "sender_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    message_id: Mapped[int] = mapped_column(BigId, ForeignKey("message.id"))
    sender_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    msg_type: Mapped[str] = mapped_column(String(20))
    content: Mapped[str] = mapped_column(Text)
    """JSON, as the client sent it."""
