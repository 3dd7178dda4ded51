"""The deployment: all processes that share this database."""

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base


class Deployment(Base):
    """A single row, inserted when the tables are created."""

    __tablename__ = "deployment"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
