"""Folders in which the channels of a realm are grouped."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class ChannelFolder(Base):
    """A folder under which clients group channels; never deleted, only archived."""

    __tablename__ = "channel_folder"
    __table_args__ = (UniqueConstraint("realm_id", "name_key"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str] = mapped_column(String(120))
    """The name normalized without regard to case: names must differ in more than case."""
    description: Mapped[str] = mapped_column(String(1024))
    rendered_description: Mapped[str] = mapped_column(Text)
    position: Mapped[int]
    """Its position among the folders; smaller numbers come first."""
    date_created: Mapped[datetime]
    creator_id: Mapped[int | None] = mapped_column(BigId, ForeignKey("account.id"))
    is_archived: Mapped[bool]
