"""Moves of many messages that are under way."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String

from chatapi.db.base import Base, BigId, JsonObject, TableColumn, table_column


class PendingMove(Base):
    """What is left of a move; deleted when all of it is done, or nothing is left in the topic."""

    __tablename__ = "pending_move"
    __table_args__ = (
        Index(None, "conversation_id"),
        Index(None, "due_at"),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    mover_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    propagate_mode: TableColumn[str] = table_column(String(20))
    source_channel_id: TableColumn[int] = table_column(BigId, ForeignKey("channel.id"))
    conversation_id: TableColumn[int] = table_column(BigId, ForeignKey("conversation.id"))
    """The topic that the messages leave."""
    since: TableColumn[int | None] = table_column(BigId)
    """The first message that is moved; None: from the beginning of the topic."""
    up_to: TableColumn[int] = table_column(BigId)
    """The last message that is left to be moved: newer ones were moved, or sent since then."""
    subscription_periods: TableColumn[list[list[int | None]] | None] = table_column(JsonObject)
    """Where history is protected, the mover's subscription periods at the time of the request."""
    target_channel_id: TableColumn[int] = table_column(BigId, ForeignKey("channel.id"))
    topic: TableColumn[str] = table_column(String(60))
    topic_key: TableColumn[str] = table_column(String(120))
    """The target topic, normalized like that of a conversation."""
    adds_exceptions: TableColumn[bool]
    """Whether differences of the read state are stored message by message."""
    due_at: TableColumn[datetime]
    """When a process may continue it; the one that does has moved it forward, so no other does."""
