"""Bringing a database up to date, safely when several processes start together."""

from pathlib import Path

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from chatapi.db.database import Database
from chatapi.db.models import metadata

_PROJECT = Path(__file__).resolve().parents[3]
_MIGRATION_LOCK = 0x63686174  # any number, as long as all processes use the same


async def upgrade_database(database: Database) -> None:
    """Apply what is missing, in one transaction that nobody else can be in."""
    async with database.engine.begin() as connection:
        if not database.is_sqlite:
            # SQLite has taken its one write lock with the transaction itself.
            await connection.execute(
                text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK}
            )
        await connection.run_sync(_upgrade)


async def pending_changes(database: Database) -> list[str]:
    """What keeps the database from being what the code expects; empty: nothing."""
    async with database.engine.connect() as connection:
        return await connection.run_sync(_pending)


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _pending(connection: Connection) -> list[str]:
    migrations = MigrationContext.configure(connection, opts={"compare_type": True})
    head = ScriptDirectory.from_config(_config()).get_current_head()
    current = migrations.get_current_revision()
    if current != head:
        return [f"the database is at revision {current}, the code at {head}"]
    return [str(change) for change in compare_metadata(migrations, metadata)]


def _config() -> Config:
    return Config(_PROJECT / "alembic.ini")
