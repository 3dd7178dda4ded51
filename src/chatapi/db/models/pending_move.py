"""Moves of many messages that are under way."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId, JsonObject


class PendingMove(Base):
    """What is left of a move; deleted when all of it is done, or nothing is left in the topic."""

    __tablename__ = "pending_move"
    __table_args__ = (
        Index(None, "conversation_id"),
        Index(None, "due_at"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    mover_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    propagate_mode: Mapped[str] = mapped_column(String(20))
    source_channel_id: Mapped[int] = mapped_column(BigId, ForeignKey("channel.id"))
    conversation_id: Mapped[int] = mapped_column(BigId, ForeignKey("conversation.id"))
    """The topic that the messages leave."""
    since: Mapped[int | None] = mapped_column(BigId)
    """The first message that is moved; None: from the beginning of the topic."""
    up_to: Mapped[int] = mapped_column(BigId)
    """The last message that is left to be moved: newer ones were moved, or sent since then."""
    subscription_periods: Mapped[list[list[int | None]] | None] = mapped_column(JsonObject)
    """Where history is protected, the mover's subscription periods at the time of the request."""
    target_channel_id: Mapped[int] = mapped_column(BigId, ForeignKey("channel.id"))
    topic: Mapped[str] = mapped_column(String(60))
    topic_key: Mapped[str] = mapped_column(String(120))
    """The target topic, normalized like that of a conversation."""
    adds_exceptions: Mapped[bool]
    """Whether differences of the read state are stored message by message."""
    due_at: Mapped[datetime]
    """When a process may continue it; the one that does has moved it forward, so no other does."""
