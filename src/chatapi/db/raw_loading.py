"""Fills an empty database with rows of any revision, as a backup has them."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import asyncpg
import orjson
from sqlalchemy import JSON, Column, DateTime, Table, inspect, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio.engine import AsyncConnection

from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.migrate import lock_for_migration
from chatapi.db.raw_tables import RawTables, inspect_tables

_FOREIGN_KEYS = text("""
    SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)
    FROM pg_constraint
    WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
""")
_FORGET_SQLITE_SEQUENCES = text("DELETE FROM sqlite_sequence")
_SET_SQLITE_SEQUENCE = text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :highest)")
_SET_POSTGRES_SEQUENCE = text(
    "SELECT setval(pg_get_serial_sequence(quote_ident(:name), 'id'), :highest)"
)


class NotEmptyError(Exception):
    """The database has tables."""


class RefusedRowsError(Exception):
    """Rows do not fit into the tables, or refer to rows that are not there."""


class EmptyDatabase:
    """A database to be filled, in one transaction that commits when all is done."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._is_sqlite = connection.dialect.name == "sqlite"
        self._tables: RawTables = {}
        self._foreign_keys: list[tuple[str, str, str]] = []

    async def create_tables(self, revision: str) -> None:
        """Create the tables of a revision, without rows and for now without foreign keys."""
        await self._migrate(revision)
        self._tables = await self._connection.run_sync(inspect_tables)
        if self._is_sqlite:
            await self._run("PRAGMA defer_foreign_keys = ON")
        else:
            found = await self._connection.execute(_FOREIGN_KEYS)
            self._foreign_keys = [(table, name, rule) for table, name, rule in found]
            for table, name, _ in self._foreign_keys:
                await self._run(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        for each in self._tables.values():
            # Some migrations insert rows.
            await self._connection.execute(each.delete())

    async def insert(self, name: str, columns: Sequence[str], rows: Sequence[list[Any]]) -> None:
        """Insert rows whose values are as JSON has them; raises `RefusedRowsError`."""
        table = self._tables.get(name)
        if table is None or {*columns} != {column.name for column in table.columns}:
            raise RefusedRowsError(f"the table {name} has other columns at this revision")
        if not rows:
            return
        try:
            await self._insert(table, columns, rows)
        except (SQLAlchemyError, asyncpg.PostgresError, ValueError, TypeError) as error:
            if is_unavailable(error):
                raise
            raise RefusedRowsError(
                f"rows of the table {name} do not fit: {_reason(error)}"
            ) from error

    async def finish(self, sequences: Mapping[str, int]) -> None:
        """Continue numbering where the original did, and check foreign keys from now on.

        Raises `RefusedRowsError`.
        """
        statement = _SET_SQLITE_SEQUENCE if self._is_sqlite else _SET_POSTGRES_SEQUENCE
        if self._is_sqlite:
            await self._connection.execute(_FORGET_SQLITE_SEQUENCES)
        for name in sorted(self._tables.keys() & sequences.keys()):
            await self._connection.execute(statement, {"name": name, "highest": sequences[name]})
        await self._enforce_foreign_keys()

    async def migrate(self) -> None:
        """Apply the migrations that the revision of the rows did not have."""
        await self._migrate("head")
        if not self._is_sqlite:
            # Without statistics, the first statements would be planned for empty tables.
            await self._run("ANALYZE")

    async def _enforce_foreign_keys(self) -> None:
        if self._is_sqlite:
            broken = (await self._run("PRAGMA foreign_key_check")).first()
            if broken is not None:
                raise RefusedRowsError(
                    f"a row of {broken[0]} refers to a missing row of {broken[2]}"
                )
            return
        for table, name, rule in self._foreign_keys:
            try:
                await self._run(f"ALTER TABLE {table} ADD CONSTRAINT {name} {rule}")
            except DBAPIError as error:
                if is_unavailable(error):
                    raise
                raise RefusedRowsError(_reason(error)) from error

    async def _insert(self, table: Table, names: Sequence[str], rows: Sequence[list[Any]]) -> None:
        columns = [table.columns[name] for name in names]
        records = [
            [self._value(column, value) for column, value in zip(columns, row, strict=True)]
            for row in rows
        ]
        if self._is_sqlite:
            named = [dict(zip(names, record, strict=True)) for record in records]
            await self._connection.execute(table.insert(), named)
            return
        raw = await self._connection.get_raw_connection()
        driver: asyncpg.Connection[Any] = raw.driver_connection
        await driver.copy_records_to_table(table.name, records=records, columns=names)

    def _value(self, column: Column[Any], value: Any) -> Any:  # noqa: ANN401 (of any column)
        if value is None:
            return None
        if isinstance(column.type, DateTime):
            return datetime.fromisoformat(value).astimezone(UTC)
        if isinstance(column.type, JSON) and not self._is_sqlite:
            # SQLAlchemy encodes it otherwise; COPY goes to the driver directly.
            return orjson.dumps(value).decode()
        return value

    async def _migrate(self, revision: str) -> None:
        # Alembic takes ten megabytes and a good part of the startup time of a command.
        from chatapi.db.migrations import upgrade  # noqa: PLC0415

        await self._connection.run_sync(upgrade, revision)

    async def _run(self, statement: str) -> Any:  # noqa: ANN401 (rows of any kind)
        return await self._connection.exec_driver_sql(statement)


@asynccontextmanager
async def filling(database: Database) -> AsyncGenerator[EmptyDatabase, None]:
    """Open an empty database; what the block writes is committed at its end, or not at all.

    Raises `NotEmptyError`. A server that starts meanwhile waits until the block has ended.
    """
    async with (
        database.unlimited_engine("chatapi restore") as engine,
        engine.begin() as connection,
    ):
        await lock_for_migration(connection)
        if await connection.run_sync(lambda inner: inspect(inner).get_table_names()):
            raise NotEmptyError
        yield EmptyDatabase(connection)


def _reason(error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else error
    return (str(cause) or type(cause).__name__).splitlines()[0]
