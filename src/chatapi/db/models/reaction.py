"""Emoji reactions to messages, and the custom emoji of realms."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, UniqueConstraint

from chatapi.db.base import Base, BigId, TableColumn, table_column


class Reaction(Base):
    """A user reacted to a message with an emoji."""

    __tablename__ = "reaction"
    __table_args__ = (
        UniqueConstraint("message_id", "user_id", "reaction_type", "emoji_code"),
        Index(None, "user_id"),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    """Ids have the order in which reactions were added."""
    message_id: TableColumn[int] = table_column(BigId, ForeignKey("message.id"))
    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    reaction_type: TableColumn[str] = table_column(String(20))
    emoji_code: TableColumn[str] = table_column(String(100))
    emoji_name: TableColumn[str] = table_column(String(100))


class RealmEmoji(Base):
    """A custom emoji of a realm; one that was removed is kept for old reactions."""

    __tablename__ = "realm_emoji"
    __table_args__ = (
        Index(None, "realm_id"),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    author_id: TableColumn[int | None] = table_column(BigId, ForeignKey("account.id"))
    name: TableColumn[str] = table_column(String(100))
    path_id: TableColumn[str] = table_column(String(400))
    still_path_id: TableColumn[str | None] = table_column(String(400))
    """The first frame of an animated emoji; None for one that is not animated."""
    created_at: TableColumn[datetime]
    deactivated: TableColumn[bool]
