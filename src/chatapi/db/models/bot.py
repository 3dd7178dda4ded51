"""What bots need beyond their accounts: stored texts, their services, and calls of services."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, SmallInteger, String, Text

from chatapi.db.base import Base, BigId, TableColumn, table_column


class BotStorageEntry(Base):
    """A text that a bot has stored under a key."""

    __tablename__ = "bot_storage_entry"

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    key: TableColumn[str] = table_column(String(255), primary_key=True)
    value: TableColumn[str] = table_column(Text)
    size: TableColumn[int]
    """The number of characters of key and value, which the quota counts."""


class BotService(Base):
    """The service that an outgoing webhook bot calls."""

    __tablename__ = "bot_service"

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    base_url: TableColumn[str] = table_column(String(2000))
    interface: TableColumn[int] = table_column(SmallInteger)
    token: TableColumn[str] = table_column(String(64))
    """Sent with every call, so that the service knows the sender: it cannot be a digest."""


class OutgoingWebhookCall(Base):
    """A service is to be called about a message; deleted when it was, or failed for good."""

    __tablename__ = "outgoing_webhook_call"
    __table_args__ = (Index(None, "due_at", "id"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    bot_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    message_id: TableColumn[int] = table_column(BigId)
    """It may be deleted before the call."""
    trigger: TableColumn[str] = table_column(String(20))
    tries: TableColumn[int]
    traceparent: TableColumn[str | None] = table_column(String(55))
    """The trace of the request that sent the message, with CHATAPI_TRACING=on."""
    due_at: TableColumn[datetime]
    """When it is tried next; the process that tries it has moved it forward, so no other does."""
