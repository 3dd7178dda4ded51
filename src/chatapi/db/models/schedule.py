"""Scheduled messages and reminders."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId, JsonObject


class ScheduledMessage(Base):
    """A message to be sent later, or a reminder; the row is deleted when it is sent."""

    __tablename__ = "scheduled_message"
    __table_args__ = (
        Index(None, "owner_id", "deliver_at"),
        # A message that failed waits for its owner: the search for due messages skips it.
        Index(
            "ix_scheduled_message_deliver_at_pending",
            "deliver_at",
            "id",
            sqlite_where=text("failure IS NULL"),
            postgresql_where=text("failure IS NULL"),
        ),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    owner_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    channel_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("channel.id"))
    """None for direct messages."""
    topic: Mapped[str] = mapped_column(String(60))
    people: Mapped[list[int]] = mapped_column(JsonObject)
    """The recipients of a direct message, without its sender unless there is no other."""
    content: Mapped[str] = mapped_column(Text)
    rendered_content: Mapped[str] = mapped_column(Text)
    deliver_at: Mapped[datetime]
    client_name: Mapped[str] = mapped_column(String(60))
    read_by_sender: Mapped[bool]
    failure: Mapped[str | None] = mapped_column(Text)
    """Why it could not be sent; None while it may still be."""
    about_message_id: Mapped[int | None] = mapped_column(BigId)
    """The message of a reminder; it may be deleted before the reminder is due."""
    note: Mapped[str] = mapped_column(Text)
    """The owner's note in a reminder."""
