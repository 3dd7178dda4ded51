"""The deployment: all processes that share this database."""

from sqlalchemy import String

from chatapi.db.base import Base, TableColumn, table_column


class Deployment(Base):
    """A single row, inserted when the tables are created."""

    __tablename__ = "deployment"

    id: TableColumn[str] = table_column(String(32), primary_key=True)
