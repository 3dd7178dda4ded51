"""Answers that were given, for whoever asks the same again."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class StoredResponseRow(Base):
    """The answer to a request that named itself; written in the transaction it tells about."""

    __tablename__ = "given_answer"
    __table_args__ = (Index(None, "created_at"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    """A digest of the name the client gave."""
    request: Mapped[str] = mapped_column(String(64))
    """A digest of what was asked: the same name for another request is a mistake."""
    answer: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]
