"""Linkifiers: text patterns that a realm turns into links."""

from sqlalchemy import ForeignKey, Identity, String, UniqueConstraint

from chatapi.db.base import Base, BigId, JsonObject, TableColumn, table_column


class Linkifier(Base):
    """Texts that match this pattern become links to this URL."""

    __tablename__ = "linkifier"
    __table_args__ = (UniqueConstraint("realm_id", "pattern"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    position: TableColumn[int]
    """The order: where two could match, the first one does."""
    pattern: TableColumn[str] = table_column(String(500))
    url_template: TableColumn[str] = table_column(String(1000))
    example_input: TableColumn[str | None] = table_column(String(500))
    reverse_template: TableColumn[str | None] = table_column(String(1000))
    alternative_url_templates: TableColumn[list[str]] = table_column(JsonObject)
