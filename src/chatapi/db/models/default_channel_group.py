"""Groups of channels that new users can choose to join."""

from sqlalchemy import ForeignKey, Identity, Index, String, UniqueConstraint

from chatapi.db.base import Base, BigId, TableColumn, table_column


class DefaultChannelGroup(Base):
    """A named group of channels."""

    __tablename__ = "default_channel_group"
    __table_args__ = (UniqueConstraint("realm_id", "name_key"), {"sqlite_autoincrement": True})

    id: TableColumn[int] = table_column(BigId, Identity(), primary_key=True)
    realm_id: TableColumn[int] = table_column(BigId, ForeignKey("realm.id"))
    name: TableColumn[str] = table_column(String(60))
    name_key: TableColumn[str] = table_column(String(120))
    """The name normalized without regard to case: names must differ in more than case."""
    description: TableColumn[str] = table_column(String(1024))


class DefaultChannelGroupEntry(Base):
    """A channel in a group; channels that are archived, private or default are in none."""

    __tablename__ = "default_channel_group_entry"
    __table_args__ = (Index(None, "channel_id"),)

    group_id: TableColumn[int] = table_column(
        BigId, ForeignKey("default_channel_group.id"), primary_key=True
    )
    channel_id: TableColumn[int] = table_column(BigId, ForeignKey("channel.id"), primary_key=True)
