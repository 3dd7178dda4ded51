"""Folders in which the channels of a realm are grouped."""

from datetime import datetime

from sqlalchemy import ForeignKey, Identity, String, Text, UniqueConstraint

from chatapi.db.base import Base, BigId, TableColumn, table_column


class ChannelFolder(Base):
    """A folder under which clients group channels; never deleted, only archived."""

    __tablename__ = "channel_folder"
    __table_args__ = (UniqueConstraint("realm_id", "name_key"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    name: TableColumn[str] = table_column(String(60))
    name_key: TableColumn[str] = table_column(String(120))
    """The name normalized without regard to case: names must differ in more than case."""
    description: TableColumn[str] = table_column(String(1024))
    rendered_description: TableColumn[str] = table_column(Text)
    position: TableColumn[int]
    """Its position among the folders; smaller numbers come first."""
    date_created: TableColumn[datetime]
    creator_id: TableColumn[int | None] = table_column(BigId, ForeignKey("account.id"))
    is_archived: TableColumn[bool]
