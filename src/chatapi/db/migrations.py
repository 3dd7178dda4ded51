"""The functions that need Alembic; imported only to migrate a database or to compare it."""

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from chatapi.db.migration_scripts import migration_scripts
from chatapi.db.models import metadata
from chatapi.db.partial_indexes import add_postgresql_conditions
from chatapi.db.search import is_of_models


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Apply the missing migrations up to a revision; the caller commits."""
    config = Config()
    # Alembic's options are formatted with `%`.
    config.set_main_option("script_location", str(migration_scripts()).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def differences(connection: Connection) -> list[str]:
    """Return the differences between the tables and the models."""
    add_postgresql_conditions(metadata)
    options = {"compare_type": True, "include_name": is_of_models}
    context = MigrationContext.configure(connection, opts=options)
    return [str(difference) for difference in compare_metadata(context, metadata)]
