"""Groups of channels that new users can choose to join."""

from sqlalchemy import ForeignKey, Identity, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class DefaultChannelGroup(Base):
    """A named group of channels."""

    __tablename__ = "default_channel_group"
    __table_args__ = (UniqueConstraint("realm_id", "name_key"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, Identity(), primary_key=True)
    realm_id: Mapped[int] = mapped_column(BigId, ForeignKey("realm.id"))
    name: Mapped[str] = mapped_column(String(60))
    name_key: Mapped[str] = mapped_column(String(120))
    """The name normalized without regard to case: names must differ in more than case."""
    description: Mapped[str] = mapped_column(String(1024))


class DefaultChannelGroupEntry(Base):
    """A channel in a group; channels that are archived, private or default are in none."""

    __tablename__ = "default_channel_group_entry"
    __table_args__ = (Index(None, "channel_id"),)

    group_id: Mapped[int] = mapped_column(
        BigId, ForeignKey("default_channel_group.id"), primary_key=True
    )
    channel_id: Mapped[int] = mapped_column(BigId, ForeignKey("channel.id"), primary_key=True)
