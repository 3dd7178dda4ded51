"""Lists that administrators keep for an organization: mail domains and playgrounds."""

from sqlalchemy import ForeignKey, Identity, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class RealmDomain(Base):
    """A mail domain of an organization, to which addresses of users can be restricted."""

    __tablename__ = "realm_domain"

    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"), primary_key=True)
    domain: Mapped[str] = mapped_column(String(253), primary_key=True)
    """In lower case."""
    allow_subdomains: Mapped[bool]


class Playground(Base):
    """A web site that runs code of a language, to which clients send code blocks."""

    __tablename__ = "playground"
    __table_args__ = (Index(None, "realm_id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    name: Mapped[str] = mapped_column(String(100))
    pygments_language: Mapped[str] = mapped_column(String(40))
    url_template: Mapped[str] = mapped_column(String(1000))
