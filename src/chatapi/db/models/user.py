"""Users (people and bots) and their API keys."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Identity, Index, String, UniqueConstraint, false

from chatapi.core.roles import BotType, EmailVisibility, Role
from chatapi.db.base import Base, BigId, EnumColumn, JsonObject, TableColumn, table_column


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

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    delivery_email: TableColumn[str] = table_column(String(254))
    email_key: TableColumn[str] = table_column(String(254))
    """The delivery email in lower case, for comparison at login."""
    full_name: TableColumn[str] = table_column(String(100))
    role: TableColumn[Role] = table_column(EnumColumn(Role))
    is_full_member: TableColumn[bool]
    """Whether the waiting period of the realm is over for this user."""
    is_active: TableColumn[bool]
    bot_type: TableColumn[BotType | None] = table_column(EnumColumn(BotType))
    bot_owner_id: TableColumn[int | None] = table_column(BigId, ForeignKey("account.id"))
    date_joined: TableColumn[datetime]
    timezone: TableColumn[str] = table_column(String(40))
    email_visibility: TableColumn[EmailVisibility] = table_column(EnumColumn(EmailVisibility))
    avatar_version: TableColumn[int]
    avatar_path: TableColumn[str | None] = table_column(String(400))
    """Of an uploaded picture; without one, users have the default of their realm."""
    is_imported_stub: TableColumn[bool]
    is_system_bot: TableColumn[bool] = table_column(server_default=false())
    """Whether it posts for the service itself; such a bot has no owner and cannot log in."""
    settings: TableColumn[dict[str, Any]]
    """Only what differs from the defaults of UserSettings."""
    past_roles: TableColumn[list[dict[str, Any]] | None] = table_column(JsonObject)
    """The roles of the last days, each with its last event; None for most users."""
    has_devices: TableColumn[bool] = table_column(server_default=false())
    """Whether the user has rows in `device`, which most users do not have."""
    seen_onboarding_steps: TableColumn[list[str] | None] = table_column(JsonObject)
    """Introductions that the user has seen; None for none."""
    password_hash: TableColumn[str | None] = table_column(String(200))


class ApiKey(Base):
    """An API key of a user: the account's primary key, or one issued at a login."""

    __tablename__ = "api_key"
    __table_args__ = (
        UniqueConstraint("key_hash"),
        Index(None, "user_id"),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    key_hash: TableColumn[str] = table_column(String(64))
    is_primary: TableColumn[bool]
    """Whether it was not issued at a login; logins never replace it."""
    name: TableColumn[str] = table_column(String(60), server_default="")
    """What the key is for: the client that logged in, or what an operator wrote."""
    created_at: TableColumn[datetime]
    last_used_at: TableColumn[datetime | None]
    """Stored now and then, not with each request."""
