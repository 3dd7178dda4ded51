"""Scheduled messages and reminders."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text

from chatapi.db.base import Base, BigId, JsonObject, TableColumn, table_column
from chatapi.db.partial_indexes import partial_index


class ScheduledMessage(Base):
    """A message to be sent later, or a reminder; the row is deleted when it is sent."""

    __tablename__ = "scheduled_message"
    __table_args__ = (
        Index(None, "owner_id", "deliver_at"),
        # A message that failed waits for its owner: the search for due messages skips it.
        partial_index(
            "ix_scheduled_message_deliver_at_pending",
            "deliver_at",
            "id",
            sqlite="failure IS NULL",
            postgresql="failure IS NULL",
        ),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    owner_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    channel_id: TableColumn[int | None] = table_column(BigId, ForeignKey("channel.id"))
    """None for direct messages."""
    topic: TableColumn[str] = table_column(String(60))
    people: TableColumn[list[int]] = table_column(JsonObject)
    """The recipients of a direct message, without its sender unless there is no other."""
    content: TableColumn[str] = table_column(Text)
    rendered_content: TableColumn[str] = table_column(Text)
    deliver_at: TableColumn[datetime]
    client_name: TableColumn[str] = table_column(String(60))
    read_by_sender: TableColumn[bool]
    failure: TableColumn[str | None] = table_column(Text)
    """Why it could not be sent; None while it may still be."""
    about_message_id: TableColumn[int | None] = table_column(BigId)
    """The message of a reminder; it may be deleted before the reminder is due."""
    note: TableColumn[str] = table_column(Text)
    """The owner's note in a reminder."""
