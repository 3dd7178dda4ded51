"""Muted users and alert words."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class MutedUser(Base):
    """A user has muted another."""

    __tablename__ = "muted_user"
    __table_args__ = (Index(None, "muted_user_id"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    muted_user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    muted_at: Mapped[datetime]


class AlertWord(Base):
    """A user wants to be notified of messages that contain a word."""

    __tablename__ = "alert_word"
    __table_args__ = (Index(None, "realm_id"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    word_key: Mapped[str] = mapped_column(String(300), primary_key=True)
    """The word normalized without regard to case, which may make it longer."""
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    word: Mapped[str] = mapped_column(String(100))
