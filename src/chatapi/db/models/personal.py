"""Private data of users: drafts, saved snippets and navigation views."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId, JsonObject


class Draft(Base):
    """A message that a user has begun to write."""

    __tablename__ = "draft"
    __table_args__ = (Index(None, "user_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    kind: Mapped[str] = mapped_column(String(10))
    """`stream`, `private`, or empty while it has no recipient."""
    recipient_ids: Mapped[list[int]] = mapped_column(JsonObject)
    """A channel or users; they may not be visible to the writer any more."""
    topic: Mapped[str] = mapped_column(String(60))
    content: Mapped[str] = mapped_column(Text)
    last_edited_at: Mapped[datetime]


class SavedSnippet(Base):
    """A text that a user wants to use again."""

    __tablename__ = "saved_snippet"
    __table_args__ = (Index(None, "user_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    title: Mapped[str] = mapped_column(String(60))
    content: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]


class NavigationView(Base):
    """A view of the client that a user has pinned or hidden."""

    __tablename__ = "navigation_view"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    fragment: Mapped[str] = mapped_column(String(500), primary_key=True)
    """The URL fragment of the view; only clients know what it means."""
    is_pinned: Mapped[bool]
    name: Mapped[str | None] = mapped_column(String(60))
