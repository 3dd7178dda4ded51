"""Emoji reactions to messages, and the custom emoji of realms."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class Reaction(Base):
    """A user reacted to a message with an emoji."""

    __tablename__ = "reaction"
    __table_args__ = (
        UniqueConstraint("message_id", "user_id", "reaction_type", "emoji_code"),
        Index(None, "user_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    """Ids have the order in which reactions were added."""
    message_id: Mapped[int] = mapped_column(BigId, ForeignKey("message.id"))
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    reaction_type: Mapped[str] = mapped_column(String(20))
    emoji_code: Mapped[str] = mapped_column(String(100))
    emoji_name: Mapped[str] = mapped_column(String(100))


class RealmEmoji(Base):
    """A custom emoji of a realm; one that was removed is kept for old reactions."""

    __tablename__ = "realm_emoji"
    __table_args__ = (
        Index(None, "realm_id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    author_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("account.id"))
    name: Mapped[str] = mapped_column(String(100))
    path_id: Mapped[str] = mapped_column(String(400))
    still_path_id: Mapped[str | None] = mapped_column(String(400))
    """The first frame of an animated emoji; None for one that is not animated."""
    created_at: Mapped[datetime]
    deactivated: Mapped[bool]
