"""The deployment: all processes that work on this database."""

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from chatapi.db.base import Base


class Deployment(Base):
    """One row, made together with the tables."""

    __tablename__ = "deployment"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
