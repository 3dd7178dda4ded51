"""Realms."""

from datetime import datetime
from typing import Any

from sqlalchemy import Identity, String, UniqueConstraint, text

from chatapi.db.base import Base, BigId, JsonObject, TableColumn, table_column


class Realm(Base):
    """A realm (an organization); every other row belongs to one."""

    __tablename__ = "realm"
    __table_args__ = (UniqueConstraint("subdomain"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    subdomain: TableColumn[str] = table_column(String(63))
    name: TableColumn[str] = table_column(String(40))
    uuid: TableColumn[str] = table_column(String(36))
    date_created: TableColumn[datetime]
    settings: TableColumn[dict[str, Any]]
    """Only what differs from the defaults of RealmSettings and of the permission settings."""
    user_settings_defaults: TableColumn[dict[str, Any] | None] = table_column(JsonObject)
    """What differs from the defaults of UserSettings for new users of the realm."""
    system_groups: TableColumn[dict[str, Any]]
    """The ids of the groups that every realm has, by name."""
    upload_bytes: TableColumn[int] = table_column(BigId, server_default=text("0"))
    """The size of all uploaded files, stored so that requests need not add it up."""
    icon_path: TableColumn[str | None] = table_column(String(400))
    logo_path: TableColumn[str | None] = table_column(String(400))
    night_logo_path: TableColumn[str | None] = table_column(String(400))
    """Of uploaded pictures; without one, there is a default."""
    deletion_began_at: TableColumn[datetime | None]
    """Set when the realm is deleted: its clients are cut off, and its rows are being removed."""
