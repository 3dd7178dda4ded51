"""Users (people and bots) and their API keys."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, String, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.core.roles import BotType, EmailVisibility, Role
from chatapi.db.base import Base, BigId, EnumColumn, JsonObject


class User(Base):
    """A person or a bot of one realm; never deleted, only deactivated."""

    # `user` is a reserved word in PostgreSQL.
    __tablename__ = "account"
    __table_args__ = (
        UniqueConstraint("realm_id", "email_key"),
        Index(None, "realm_id", "id"),
        Index(None, "avatar_path"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    delivery_email: Mapped[str] = mapped_column(String(254))
    email_key: Mapped[str] = mapped_column(String(254))
    """The delivery email in lower case, for comparison at login."""
    full_name: Mapped[str] = mapped_column(String(100))
    role: Mapped[Role] = mapped_column(EnumColumn(Role))
    is_full_member: Mapped[bool]
    """Whether the waiting period of the realm is over for this user."""
    is_active: Mapped[bool]
    bot_type: Mapped[BotType | None] = mapped_column(EnumColumn(BotType))
    bot_owner_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("account.id"))
    date_joined: Mapped[datetime]
    timezone: Mapped[str] = mapped_column(String(40))
    email_visibility: Mapped[EmailVisibility] = mapped_column(EnumColumn(EmailVisibility))
    avatar_version: Mapped[int]
    avatar_path: Mapped[str | None] = mapped_column(String(400))
    """Of an uploaded picture; without one, users have the default of their realm."""
    is_imported_stub: Mapped[bool]
    is_system_bot: Mapped[bool] = mapped_column(server_default=false())
    """Whether it posts for the service itself; such a bot has no owner and cannot log in."""
    settings: Mapped[dict[str, Any]]
    """Only what differs from the defaults of UserSettings."""
    past_roles: Mapped[list[dict[str, Any]] | None] = mapped_column(JsonObject)
    """The roles of the last days, each with its last event; None for most users."""
    has_devices: Mapped[bool] = mapped_column(server_default=false())
    """Whether the user has rows in `device`, which most users do not have."""
    seen_onboarding_steps: Mapped[list[str] | None] = mapped_column(JsonObject)
    """Introductions that the user has seen; None for none."""
    password_hash: Mapped[str | None] = mapped_column(String(200))


class ApiKey(Base):
    """An API key of a user: the account's primary key, or one issued at a login."""

    __tablename__ = "api_key"
    __table_args__ = (
        UniqueConstraint("key_hash"),
        Index(None, "user_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    key_hash: Mapped[str] = mapped_column(String(64))
    is_primary: Mapped[bool]
    """Whether it was not issued at a login; logins never replace it."""
    name: Mapped[str] = mapped_column(String(60), server_default="")
    """What the key is for: the client that logged in, or what an operator wrote."""
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]
    """Stored now and then, not with each request."""
