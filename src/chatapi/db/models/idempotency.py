"""Stored responses, for requests that are repeated."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, String, Text

from chatapi.db.base import Base, BigId, TableColumn, table_column


class StoredResponseRow(Base):
    """The response of a request with an idempotency key; written in the request's transaction."""

    __tablename__ = "stored_response"
    __table_args__ = (Index(None, "created_at"),)

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    key: TableColumn[str] = table_column(String(64), primary_key=True)
    """A digest of the idempotency key that the client sent, or a key that was made up for a message
    which another process is to write."""
    request_digest: TableColumn[str] = table_column(String(64))
    """A digest of the request: using the same key for another request is an error."""
    response: TableColumn[str] = table_column(Text)
    created_at: TableColumn[datetime]
