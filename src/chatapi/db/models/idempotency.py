"""Stored responses, for requests that are repeated."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class StoredResponseRow(Base):
    """The response of a request with an idempotency key; written in the request's transaction."""

    __tablename__ = "stored_response"
    __table_args__ = (Index(None, "created_at"),)

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    """A digest of the idempotency key that the client sent."""
    request_digest: Mapped[str] = mapped_column(String(64))
    """A digest of the request: using the same key for another request is an error."""
    response: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]
