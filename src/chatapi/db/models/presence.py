"""The status texts of users, and when they were last active."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String

from chatapi.db.base import Base, BigId, TableColumn, table_column
from chatapi.db.partial_indexes import partial_index


class UserStatus(Base):
    """A status text and an emoji; a user with neither has no row."""

    __tablename__ = "user_status"

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    status_text: TableColumn[str] = table_column(String(60))
    emoji_name: TableColumn[str] = table_column(String(100))
    """Empty, like the code, if there is no emoji."""
    emoji_code: TableColumn[str] = table_column(String(100))
    reaction_type: TableColumn[str] = table_column(String(20))


class Presence(Base):
    """When a user was last seen; a user who was never seen and is not hidden has no row."""

    __tablename__ = "presence"
    __table_args__ = (
        Index(None, "realm_id", "update_id"),
        partial_index(
            "ix_presence_hidden", "realm_id", sqlite="is_hidden = 1", postgresql="is_hidden"
        ),
    )

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    update_id: TableColumn[int] = table_column(BigId)
    """The number of the last change, counted by the realm's PresenceClock."""
    active_at: TableColumn[datetime | None]
    """When the user was last active; None: never, or hidden."""
    idle_at: TableColumn[datetime | None]
    """When a client of the user last reported presence."""
    is_hidden: TableColumn[bool]
    """Whether the user hides their presence: the opposite of `presence_enabled`."""


class PresenceClock(Base):
    """The number of presence changes of a realm.

    A transaction that changes presence increments it first and holds its lock until the commit: no
    smaller number can become visible after a larger one. The realm clock is not locked.
    """

    __tablename__ = "presence_clock"

    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"), primary_key=True)
    last_update_id: TableColumn[int] = table_column(BigId)
