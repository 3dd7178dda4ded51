"""Widgets: polls, todo lists and forms in messages."""

from sqlalchemy import ForeignKey, Identity, Index, String, Text

from chatapi.db.base import Base, BigId, TableColumn, table_column


class Submessage(Base):
    """A widget of a message, or what a user did with it, such as a vote."""

    __tablename__ = "submessage"
    __table_args__ = (
        Index(None, "message_id", "id"),
        Index(None, "sender_id"),
        {"sqlite_autoincrement": True},
    )

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    message_id: TableColumn[int] = table_column(BigId, ForeignKey("message.id"))
    sender_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    msg_type: TableColumn[str] = table_column(String(20))
    content: TableColumn[str] = table_column(Text)
    """JSON, as the client sent it."""
