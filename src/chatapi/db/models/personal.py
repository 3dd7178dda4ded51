"""What people keep for themselves: texts they have begun, texts they use again, places to go."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId, JsonObject


class Draft(Base):
    """A message somebody has begun to write."""

    __tablename__ = "draft"
    __table_args__ = (Index(None, "user_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    kind: Mapped[str] = mapped_column(String(10))
    """`stream`, `private`, or nothing as long as it is addressed to nobody."""
    recipient_ids: Mapped[list[int]] = mapped_column(JsonObject)
    """A channel or people; whoever writes may have lost sight of them meanwhile."""
    topic: Mapped[str] = mapped_column(String(60))
    content: Mapped[str] = mapped_column(Text)
    last_edited_at: Mapped[datetime]


class SavedSnippet(Base):
    """A text somebody wants to use again."""

    __tablename__ = "saved_snippet"
    __table_args__ = (Index(None, "user_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"))
    title: Mapped[str] = mapped_column(String(60))
    content: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]


class NavigationView(Base):
    """A place in a client that somebody wants to find quickly, or not to see."""

    __tablename__ = "navigation_view"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    fragment: Mapped[str] = mapped_column(String(500), primary_key=True)
    """Where it is, in the words of the client."""
    is_pinned: Mapped[bool]
    name: Mapped[str | None] = mapped_column(String(60))
