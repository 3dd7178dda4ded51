"""Lists that administrators keep for an organization: mail domains and playgrounds."""

from sqlalchemy import ForeignKey, Identity, Index, String

from chatapi.db.base import Base, BigId, TableColumn, table_column


class RealmDomain(Base):
    """A mail domain of an organization, to which addresses of users can be restricted."""

    __tablename__ = "realm_domain"

    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"), primary_key=True)
    domain: TableColumn[str] = table_column(String(253), primary_key=True)
    """In lower case."""
    allow_subdomains: TableColumn[bool]


class Playground(Base):
    """A web site that runs code of a language, to which clients send code blocks."""

    __tablename__ = "playground"
    __table_args__ = (Index(None, "realm_id"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    name: TableColumn[str] = table_column(String(100))
    pygments_language: TableColumn[str] = table_column(String(40))
    url_template: TableColumn[str] = table_column(String(1000))
