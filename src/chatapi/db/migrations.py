"""The part that needs Alembic; imported only when a database has to be changed or compared."""

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from chatapi.db.models import metadata

PROJECT = Path(__file__).resolve().parents[3]


def upgrade(connection: Connection) -> None:
    config = Config(PROJECT / "alembic.ini")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def differences(connection: Connection) -> list[str]:
    """Where the tables differ from the models."""
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return [str(difference) for difference in compare_metadata(context, metadata)]
