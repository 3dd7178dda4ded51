"""Private data of users: drafts, saved snippets and navigation views."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text

from chatapi.db.base import Base, BigId, JsonObject, TableColumn, table_column


class Draft(Base):
    """A message that a user has begun to write."""

    __tablename__ = "draft"
    __table_args__ = (Index(None, "user_id"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    kind: TableColumn[str] = table_column(String(10))
    """`stream`, `private`, or empty while it has no recipient."""
    recipient_ids: TableColumn[list[int]] = table_column(JsonObject)
    """A channel or users; they may not be visible to the writer any more."""
    topic: TableColumn[str] = table_column(String(60))
    content: TableColumn[str] = table_column(Text)
    last_edited_at: TableColumn[datetime]


class SavedSnippet(Base):
    """A text that a user wants to use again."""

    __tablename__ = "saved_snippet"
    __table_args__ = (Index(None, "user_id"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"))
    title: TableColumn[str] = table_column(String(60))
    content: TableColumn[str] = table_column(Text)
    created_at: TableColumn[datetime]


class NavigationView(Base):
    """A view of the client that a user has pinned or hidden."""

    __tablename__ = "navigation_view"

    user_id: TableColumn[int] = table_column(BigId, ForeignKey("account.id"), primary_key=True)
    fragment: TableColumn[str] = table_column(String(500), primary_key=True)
    """The URL fragment of the view; only clients know what it means."""
    is_pinned: TableColumn[bool]
    name: TableColumn[str | None] = table_column(String(60))
