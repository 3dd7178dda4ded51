"""Realms."""

from datetime import datetime
from typing import Any

from sqlalchemy import Identity, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId, JsonObject


class Realm(Base):
    """A realm (an organization); every other row belongs to one."""

    __tablename__ = "realm"
    __table_args__ = (UniqueConstraint("subdomain"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    subdomain: Mapped[str] = mapped_column(String(63))
    name: Mapped[str] = mapped_column(String(40))
    uuid: Mapped[str] = mapped_column(String(36))
    date_created: Mapped[datetime]
    settings: Mapped[dict[str, Any]]
    """Only what differs from the defaults of RealmSettings and of the permission settings."""
    user_settings_defaults: Mapped[dict[str, Any] | None] = mapped_column(JsonObject)
    """What differs from the defaults of UserSettings for new users of the realm."""
    system_groups: Mapped[dict[str, Any]]
    """The ids of the groups that every realm has, by name."""
    upload_bytes: Mapped[int] = mapped_column(BigId, server_default=text("0"))
    """The size of all uploaded files, stored so that requests need not add it up."""
    icon_path: Mapped[str | None] = mapped_column(String(400))
    logo_path: Mapped[str | None] = mapped_column(String(400))
    night_logo_path: Mapped[str | None] = mapped_column(String(400))
    """Of uploaded pictures; without one, there is a default."""
    deletion_began_at: Mapped[datetime | None]
    """Set when the realm is deleted: its clients are cut off, and its rows are being removed."""
