"""Linkifiers: text patterns that a realm turns into links."""

from sqlalchemy import ForeignKey, Identity, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId, JsonObject


class Linkifier(Base):
    """Texts that match this pattern become links to this URL."""

    __tablename__ = "linkifier"
    __table_args__ = (UniqueConstraint("realm_id", "pattern"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    position: Mapped[int]
    """The order: where two could match, the first one does."""
    pattern: Mapped[str] = mapped_column(String(500))
    url_template: Mapped[str] = mapped_column(String(1000))
    example_input: Mapped[str | None] = mapped_column(String(500))
    reverse_template: Mapped[str | None] = mapped_column(String(1000))
    alternative_url_templates: Mapped[list[str]] = mapped_column(JsonObject)
