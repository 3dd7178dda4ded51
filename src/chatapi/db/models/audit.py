"""The audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, String

from chatapi.db.base import Base, BigId, JsonText, TableColumn, table_column


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

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    created_at: TableColumn[datetime]
    kind: TableColumn[str] = table_column(String(40))
    """A value of `AuditKind`; text, so that earlier versions can read entries of later ones."""
    source: TableColumn[str] = table_column(String(16))
    acting_user_id: TableColumn[int | None] = table_column(BigId, ForeignKey("account.id"))
    """None for the command line and the server, and for failed logins: no user is known then."""
    user_id: TableColumn[int | None] = table_column(BigId, ForeignKey("account.id"))
    channel_id: TableColumn[int | None] = table_column(BigId, ForeignKey("channel.id"))
    group_id: TableColumn[int | None] = table_column(BigId, ForeignKey("user_group.id"))
    property: TableColumn[str | None] = table_column(String(100))
    old_value: TableColumn[Any | None] = table_column(JsonText)
    new_value: TableColumn[Any | None] = table_column(JsonText)
    address: TableColumn[str] = table_column(String(64))
    """The network address of the client; empty if no client sent a request."""
    client: TableColumn[str] = table_column(String(60))
