"""Messages that are to be sent later."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId, JsonObject


class ScheduledMessage(Base):
    """A message somebody wants to send later, or to be reminded by; it goes when it is sent."""

    __tablename__ = "scheduled_message"
    __table_args__ = (
        Index(None, "owner_id", "deliver_at"),
        # What failed waits for its owner: nobody looks through it for what is due.
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
    """Whom a direct message goes to, without its sender unless there is nobody else."""
    content: Mapped[str] = mapped_column(Text)
    rendered_content: Mapped[str] = mapped_column(Text)
    deliver_at: Mapped[datetime]
    client_name: Mapped[str] = mapped_column(String(60))
    read_by_sender: Mapped[bool]
    failure: Mapped[str | None] = mapped_column(Text)
    """Why it could not be sent; None while it may still be."""
    about_message_id: Mapped[int | None] = mapped_column(BigId)
    """What its owner wants to be reminded of; that may be deleted before."""
    note: Mapped[str] = mapped_column(Text)
    """What its owner wants to be told with a reminder."""
