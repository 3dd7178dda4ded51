"""Muted users and alert words."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String

from chatapi.db.base import Base, BigId, TableColumn, table_column


class MutedUser(Base):
    """A user has muted another."""

    __tablename__ = "muted_user"
    __table_args__ = (Index(None, "muted_user_id"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    muted_user_id: TableColumn[int] = table_column(
        BigId, ForeignKey("account.id"), primary_key=True
    )
    muted_at: TableColumn[datetime]


class AlertWord(Base):
    """A user wants to be notified of messages that contain a word."""

    __tablename__ = "alert_word"
    __table_args__ = (Index(None, "realm_id"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    word_key: TableColumn[str] = table_column(String(300), primary_key=True)
    """The word normalized without regard to case, which may make it longer."""
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    word: TableColumn[str] = table_column(String(100))
