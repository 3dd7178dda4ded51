"""The audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId, JsonText


class AuditLogEntry(Base):
    """A change, a login or a failed login; written once and never changed."""

    __tablename__ = "audit_log_entry"
    __table_args__ = (
        Index(None, "realm_id", "id"),
        Index(None, "realm_id", "kind", "id"),
        Index(None, "realm_id", "acting_user_id", "id"),
        Index(None, "realm_id", "user_id", "id"),
        Index(None, "created_at"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    created_at: Mapped[datetime]
    kind: Mapped[str] = mapped_column(String(40))
    """A value of `AuditKind`; text, so that earlier versions can read entries of later ones."""
    source: Mapped[str] = mapped_column(String(16))
    acting_user_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("account.id"))
    """None for the command line and the server, and for failed logins: nobody is known then."""
    user_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("account.id"))
    channel_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("channel.id"))
    group_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("user_group.id"))
    property: Mapped[str | None] = mapped_column(String(100))
    old_value: Mapped[Any | None] = mapped_column(JsonText)
    new_value: Mapped[Any | None] = mapped_column(JsonText)
    address: Mapped[str] = mapped_column(String(64))
    """The network address of the client; empty if no client sent a request."""
    client: Mapped[str] = mapped_column(String(60))
