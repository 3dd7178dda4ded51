"""What people say about themselves, and when they were last seen."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class UserStatus(Base):
    """A few words and an emoji; whoever has neither has no row."""

    __tablename__ = "user_status"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    status_text: Mapped[str] = mapped_column(String(60))
    emoji_name: Mapped[str] = mapped_column(String(100))
    """Empty, as the code, where there is no emoji."""
    emoji_code: Mapped[str] = mapped_column(String(100))
    reaction_type: Mapped[str] = mapped_column(String(20))


class Presence(Base):
    """When somebody was last seen; who was never seen and hides nothing has no row."""

    __tablename__ = "presence"
    __table_args__ = (
        Index(None, "realm_id", "update_id"),
        Index(
            "ix_presence_hidden",
            "realm_id",
            sqlite_where=text("is_hidden = 1"),
            postgresql_where=text("is_hidden"),
        ),
    )

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    update_id: Mapped[int] = mapped_column(BigId)
    """The place of the last change among all of the realm, as its PresenceClock counts."""
    active_at: Mapped[datetime | None]
    """When the person last did something, None: never, or hidden."""
    idle_at: Mapped[datetime | None]
    """When a client of theirs was last there."""
    is_hidden: Mapped[bool]
    """Whether the person does not want to be seen: the opposite of `presence_enabled`."""


class PresenceClock(Base):
    """How many changes of presence a realm has seen.

    Whoever changes something moves it first and holds it until the commit: a number that can be
    seen has no smaller one behind it that cannot. The realm's own clock is not touched.
    """

    __tablename__ = "presence_clock"

    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"), primary_key=True)
    last_update_id: Mapped[int] = mapped_column(BigId)
