"""Devices of users, and what they need to be sent push notifications."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class Device(Base):
    """A device on which a user is logged in, by an app that can be sent push notifications."""

    __tablename__ = "device"
    __table_args__ = (Index(None, "user_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    push_key_id: Mapped[int | None] = mapped_column(BigId)
    """The client's name for the key with which notifications are to be encrypted."""
    push_key: Mapped[str | None] = mapped_column(String(200))
    push_token_kind: Mapped[str | None] = mapped_column(String(4))
    """`fcm` or `apns`."""
    pending_push_token_id: Mapped[str | None] = mapped_column(String(100))
    """The token whose registration has begun; nothing finishes it yet."""
    push_registration: Mapped[str | None] = mapped_column(Text)
    """The registration as the client encrypted it for the service that will send."""
    push_token_updated_at: Mapped[datetime | None]


class PushToken(Base):
    """An address for push notifications that are not encrypted, of older apps."""

    __tablename__ = "push_token"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(4), primary_key=True)
    """`fcm` or `apns`."""
    token: Mapped[str] = mapped_column(String(1000), primary_key=True)
    app_id: Mapped[str | None] = mapped_column(String(200))
    created_at: Mapped[datetime]
