"""Uploaded files, and the messages that link them."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, UniqueConstraint

from chatapi.db.base import Base, BigId, TableColumn, table_column


class Attachment(Base):
    """An uploaded file; its bytes are in the store, under its path."""

    __tablename__ = "attachment"
    __table_args__ = (
        UniqueConstraint("path_id"),
        Index(None, "owner_id"),
        Index(None, "is_claimed", "created_at"),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    owner_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    name: TableColumn[str] = table_column(String(255))
    path_id: TableColumn[str] = table_column(String(400))
    content_type: TableColumn[str] = table_column(String(100))
    size: TableColumn[int] = table_column(BigId)
    created_at: TableColumn[datetime]
    is_claimed: TableColumn[bool]
    """Whether it belongs to a message; other files are deleted after a while."""
    link_secret: TableColumn[str] = table_column(String(43))
    """The secret that signs temporary URLs of the file."""


class AttachmentImage(Base):
    """An uploaded file that is an image; also the queue of thumbnails to be drawn."""

    __tablename__ = "attachment_image"
    __table_args__ = (Index(None, "is_pending", "next_attempt_at"),)

    attachment_id: TableColumn[int] = table_column(
        BigId, ForeignKey("attachment.id"), primary_key=True
    )
    content_type: TableColumn[str] = table_column(String(100))
    width: TableColumn[int]
    height: TableColumn[int]
    is_animated: TableColumn[bool]
    """Whether there is an animated thumbnail."""
    is_drawn: TableColumn[bool | None]
    """None: not yet; False: it cannot be drawn."""
    is_pending: TableColumn[bool]
    """Whether a thumbnail has to be drawn, or messages have to be updated."""
    attempts: TableColumn[int]
    next_attempt_at: TableColumn[datetime]
    """A process that works on it sets this to a later time, at which others may take over."""


class AttachmentMessage(Base):
    """A message links a file: users who may see the message may see the file."""

    __tablename__ = "attachment_message"
    __table_args__ = (Index(None, "message_id"),)

    attachment_id: TableColumn[int] = table_column(
        BigId, ForeignKey("attachment.id"), primary_key=True
    )
    message_id: TableColumn[int] = table_column(BigId, ForeignKey("message.id"), primary_key=True)
