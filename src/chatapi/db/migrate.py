"""Migrates a database to the newest revision, safely if several processes start together."""

from enum import Enum

from sqlalchemy import Connection, inspect, text
from sqlalchemy.ext.asyncio.engine import AsyncConnection

from chatapi.db.database import Database
from chatapi.db.migration_scripts import migration_scripts

MIGRATION_LOCK = 0x63686174  # any number, as long as all processes use the same


class MigrationState(Enum):
    """How the tables compare with what the code expects."""

    EMPTY = "empty"
    OUTDATED = "outdated"
    CURRENT = "current"
    TOO_NEW = "too new"


class UnknownRevisionError(Exception):
    """A newer version of the service has migrated the database."""

    def __init__(self, revision: str) -> None:
        super().__init__(f"the database is at revision {revision}, which is unknown")
        self.revision = revision


async def upgrade_database(database: Database) -> None:
    """Apply the missing migrations, in one transaction under an exclusive lock."""
    current = await _read_revision(database)
    state = _state_of(current)
    if state is MigrationState.CURRENT:
        return
    if state is MigrationState.TOO_NEW:
        raise UnknownRevisionError(str(current))
    # Alembic takes ten megabytes and a good part of the startup time; most starts do not need it.
    from chatapi.db.migrations import upgrade  # noqa: PLC0415

    async with database.unlimited_engine() as engine, engine.begin() as connection:
        await lock_for_migration(connection)
        await connection.run_sync(upgrade)


async def lock_for_migration(connection: AsyncConnection) -> None:
    """Wait until no other process changes tables, and keep them waiting until the commit."""
    # SQLite takes its only write lock when the transaction begins.
    if connection.dialect.name != "sqlite":
        await connection.execute(
            text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK}
        )


async def read_migration_state(database: Database) -> MigrationState:
    """Return the state by the recorded revision; `pending_changes` compares the tables."""
    return _state_of(await _read_revision(database))


async def _read_revision(database: Database) -> str | None:
    async with database.engine.connect() as connection:
        return await connection.run_sync(current_revision)


def _state_of(revision: str | None) -> MigrationState:
    if revision is None:
        return MigrationState.EMPTY
    if revision == newest_revision():
        return MigrationState.CURRENT
    return MigrationState.OUTDATED if revision in _revisions() else MigrationState.TOO_NEW


async def pending_changes(database: Database) -> list[str]:
    """Return the differences between the database and what the code expects; empty: none."""
    from chatapi.db.migrations import differences  # noqa: PLC0415 (see upgrade_database)

    async with database.engine.connect() as connection:
        current = await connection.run_sync(current_revision)
        if current != newest_revision():
            return [f"the database is at revision {current}, the code at {newest_revision()}"]
        return await connection.run_sync(differences)


def newest_revision() -> str:
    """Return the highest revision; migrations are numbered in the names of their files."""
    return max(_revisions())


def _revisions() -> set[str]:
    versions = migration_scripts() / "versions"
    return {path.name.partition("_")[0] for path in versions.glob("[0-9]*.py")}


def current_revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(
        text("SELECT version_num FROM alembic_version")
    ).scalar()
    return revision
