"""What bots need beyond their accounts: the texts they store."""

from sqlalchemy import ForeignKey, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base, BigId


class BotStorageEntry(Base):
    """A text that a bot has stored under a key."""

    __tablename__ = "bot_storage_entry"

    user_id: Mapped[int] = mapped_column(BigId, ForeignKey("account.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    value: Mapped[str] = mapped_column(Text)
    size: Mapped[int]
    """The number of characters of key and value, which the quota counts."""
