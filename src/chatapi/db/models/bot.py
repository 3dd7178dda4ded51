"""What bots need beyond their accounts: stored texts, their services, and calls of services."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, SmallInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class BotStorageEntry(Base):
    """A text that a bot has stored under a key."""

    __tablename__ = "bot_storage_entry"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    value: Mapped[str] = mapped_column(Text)
    size: Mapped[int]
    """The number of characters of key and value, which the quota counts."""


class BotService(Base):
    """The service that an outgoing webhook bot calls."""

    __tablename__ = "bot_service"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    base_url: Mapped[str] = mapped_column(String(2000))
    interface: Mapped[int] = mapped_column(SmallInteger)
    token: Mapped[str] = mapped_column(String(64))
    """Sent with every call, so that the service knows the sender: it cannot be a digest."""


class OutgoingWebhookCall(Base):
    """A service is to be called about a message; deleted when it was, or failed for good."""

    __tablename__ = "outgoing_webhook_call"
    __table_args__ = (Index(None, "due_at", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    bot_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    message_id: Mapped[int] = mapped_column(BigId)
    """It may be deleted before the call."""
    trigger: Mapped[str] = mapped_column(String(20))
    tries: Mapped[int]
    traceparent: Mapped[str | None] = mapped_column(String(55))
    """The trace of the request that sent the message, with CHATAPI_TRACING=on."""
    due_at: Mapped[datetime]
    """When it is tried next; the process that tries it has moved it forward, so no other does."""
