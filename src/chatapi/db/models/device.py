"""Devices of users, and what they need to be sent push notifications."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text

from chatapi.db.base import Base, BigId, TableColumn, table_column


class Device(Base):
    """A device on which a user is logged in, by an app that can be sent push notifications."""

    __tablename__ = "device"
    __table_args__ = (Index(None, "user_id"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    push_key_id: TableColumn[int | None] = table_column(BigId)
    """The client's name for the key with which notifications are to be encrypted."""
    push_key: TableColumn[str | None] = table_column(String(200))
    push_token_kind: TableColumn[str | None] = table_column(String(4))
    """`fcm` or `apns`."""
    pending_push_token_id: TableColumn[str | None] = table_column(String(100))
    """The token whose registration has begun; nothing finishes it yet."""
    push_registration: TableColumn[str | None] = table_column(Text)
    """The registration as the client encrypted it for the service that will send."""
    push_token_updated_at: TableColumn[datetime | None]


class PushToken(Base):
    """An address for push notifications that are not encrypted, of older apps."""

    __tablename__ = "push_token"

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    kind: TableColumn[str] = table_column(String(4), primary_key=True)
    """`fcm` or `apns`."""
    token: TableColumn[str] = table_column(String(1000), primary_key=True)
    app_id: TableColumn[str | None] = table_column(String(200))
    created_at: TableColumn[datetime]
