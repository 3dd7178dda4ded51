"""The part that needs Alembic; imported only when a database has to be changed or compared."""

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from chatapi.db.models import metadata
from chatapi.db.search import is_of_models

PROJECT = Path(__file__).resolve().parents[3]


def upgrade(connection: Connection) -> None:
    config = Config(PROJECT / "alembic.ini")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def differences(connection: Connection) -> list[str]:
    """Where the tables differ from the models."""
    options = {"compare_type": True, "include_name": is_of_models}
    context = MigrationContext.configure(connection, opts=options)
    return [str(difference) for difference in compare_metadata(context, metadata)]
