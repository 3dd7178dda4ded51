"""Databases for tests: real ones with real commits, overwritten instead of rolled back."""

import shutil
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from typing_extensions import override

from chatapi.core.settings import SQLITE_FILE
from tests.support.kept_databases import kept_databases
from tests.support.servers import TEMPLATE, migrate
from tests.support.temporary_postgres import TemporaryPostgres
from tests.support.worlds import World, loaded_worlds


@dataclass(frozen=True)
class SqliteTemplate:
    """A migrated file; a copy takes about a millisecond."""

    path: Path

    def copy_to(self, folder: Path) -> str:
        copied = folder / SQLITE_FILE
        shutil.copy(self.path, copied)
        return f"sqlite+aiosqlite:///{copied}"


_Made = TypeVar("_Made")


class WorkerDatabase(ABC):
    """The one database of a worker and kind; every test gets it empty, or with rows made before."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._made: dict[Hashable, Any] = {}

    async def empty(self) -> str:
        """Remove everything that tests have written; returns the address."""
        await self._load(None)
        loaded_worlds.put(self.url, None)
        return self.url

    async def fill(self, key: Hashable, make: Callable[[str], Awaitable[_Made]]) -> _Made:
        """Leave nothing but what `make` writes into an empty database; returns its result.

        `make` gets the address and runs once; its rows and its result are kept under the key.
        """
        if key in self._made:
            await self._load(key)
        else:
            self._made[key] = await make(await self.empty())
            await self._save(key)
        made: _Made = self._made[key]
        loaded_worlds.put(self.url, made if isinstance(made, World) else None)
        return made

    @abstractmethod
    async def _save(self, key: Hashable) -> None:
        """Keep the current rows under the key."""

    @abstractmethod
    async def _load(self, key: Hashable | None) -> None:
        """Replace the current rows by those of the key, or by none."""


class KeptRows:
    """A file with the rows that tests begin with, and an open connection to it."""

    def __init__(self, template: SqliteTemplate) -> None:
        self.template = template
        # Nothing writes to it, so what one test has read of it is still in memory at the next.
        self._source = sqlite3.connect(f"{template.path.as_uri()}?immutable=1", uri=True)
        self.schema_version = schema_version_of(self._source)

    def overwrite(self, target: sqlite3.Connection) -> None:
        """Replace everything in the target, whose tables are the same.

        SQLite counts it as a change of the tables. It is none: other connections go on without
        reading the definitions and preparing their statements anew.
        """
        self._source.backup(target)
        target.execute(f"PRAGMA schema_version = {self.schema_version}")

    def close(self) -> None:
        self._source.close()


def schema_version_of(connection: sqlite3.Connection) -> int:
    [version] = connection.execute("PRAGMA schema_version").fetchone()
    return int(version)


class WorkerSqlite(WorkerDatabase):
    """A file whose content is replaced by that of the template, or by rows made before.

    Connections of earlier tests stay open, with their prepared statements: opening those of one
    application took ten times as long as replacing the content. A test that changes the tables,
    moves the file or leaves a transaction open makes the next one begin with a new file.
    """

    def __init__(self, template: SqliteTemplate, folder: Path, worlds: Path) -> None:
        self.path = folder / SQLITE_FILE
        super().__init__(f"sqlite+aiosqlite:///{self.path}")
        self._kept: dict[Hashable | None, KeptRows] = {None: KeptRows(template)}
        self._folder_of_worlds = worlds
        self._writer: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None

    @override
    async def _save(self, key: Hashable) -> None:
        saved = self._folder_of_worlds / f"world{len(self._kept)}.sqlite3"
        # By SQLite: on a busy machine connections may still be open. Then rows are still in the
        # write-ahead log, and closing the file after copying it would end this process's locks.
        with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(saved)) as copy:
            source.backup(copy)
            copy.execute(f"PRAGMA schema_version = {schema_version_of(source)}")
        self._kept[key] = KeptRows(SqliteTemplate(saved))

    @override
    async def _load(self, key: Hashable | None) -> None:
        rows = self._kept[key]
        if self._writer is not None and self._has_tables_of(rows) and _is_free(self._writer):
            rows.overwrite(self._writer)
        else:
            await self._replace_file(rows)

    def _has_tables_of(self, rows: KeptRows) -> bool:
        """Whether the file is still there, with the same definitions of tables."""
        assert self._writer is not None
        is_same_file = self.path.exists() and _identity(self.path) == self._file
        return is_same_file and schema_version_of(self._writer) == rows.schema_version

    async def _replace_file(self, rows: KeptRows) -> None:
        # A new file with the same name: connections left open to the former one do no harm.
        await self._disconnect()
        for left in self.path.parent.iterdir():
            left.unlink()
        rows.template.copy_to(self.path.parent)
        self._file = _identity(self.path)
        self._writer = sqlite3.connect(self.path, isolation_level=None, timeout=0)
        self._writer.execute("PRAGMA synchronous = OFF")

    async def _disconnect(self) -> None:
        await kept_databases.disconnect(self.url)
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    async def close(self) -> None:
        await self._disconnect()
        for rows in self._kept.values():
            rows.close()


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _is_free(connection: sqlite3.Connection) -> bool:
    """Whether no other connection is in a transaction that writes."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    connection.execute("ROLLBACK")
    return True


@asynccontextmanager
async def worker_sqlite(template: SqliteTemplate, folder: Path) -> AsyncIterator[WorkerSqlite]:
    database = WorkerSqlite(template, _subfolder(folder, "current"), _subfolder(folder, "worlds"))
    kept_databases.keep(await database.empty(), stays_connected=True)
    try:
        yield database
    finally:
        await database.close()
        await kept_databases.drop(database.url)


def _subfolder(folder: Path, name: str) -> Path:
    made = folder / name
    made.mkdir()
    return made


async def make_sqlite_template(folder: Path) -> SqliteTemplate:
    path = folder / "template.sqlite3"
    # Closing the last connection folds the write-ahead log into the file.
    await migrate(f"sqlite+aiosqlite:///{path}")
    return SqliteTemplate(path)


_TABLES = """
    SELECT quote_ident(tablename) FROM pg_tables
    -- Which deployment it is, and of which version, comes with the tables and stays.
    WHERE schemaname = current_schema() AND tablename NOT IN ('deployment', 'alembic_version')
"""
_SEQUENCES = """
    SELECT quote_ident(sequencename), start_value FROM pg_sequences
    WHERE schemaname = current_schema()
"""
_FUNCTION = """
CREATE FUNCTION {name}() RETURNS void LANGUAGE plpgsql
-- Rows come and go as they are, without triggers or foreign keys.
SET session_replication_role = replica AS $$ BEGIN {statements} END $$
"""
_TRUNCATE = "TRUNCATE {tables} RESTART IDENTITY;"
_DELETE = "DELETE FROM {table};"
_RESTART = """
IF (SELECT is_called FROM {sequence}) THEN
    PERFORM setval('{sequence}', {start}, false);
END IF;
"""
_CONTINUE = "PERFORM setval('{sequence}', {last});"
_HAS_ROWS = "SELECT EXISTS (SELECT FROM {table})"
_COPY = "CREATE TABLE {schema}.{table} AS TABLE {table}"
_LAST = "SELECT last_value FROM {sequence} WHERE is_called"
_INSERT = "INSERT INTO {table} SELECT * FROM {schema}.{table};"
_DELETIONS_BEFORE_TRUNCATING = 50
"""Rows that were deleted stay in the files, since nothing vacuums a database of tests."""


class WorkerPostgres(WorkerDatabase):
    """A database whose rows are deleted, and inserted from those made before, for every test.

    Deleting the rows of a test takes a tenth of the time of truncating all tables. Both leave a
    test with nothing but real, committed transactions. The functions that do it contain plain
    statements, which are planned once per connection.
    """

    def __init__(self, url: str, engine: AsyncEngine) -> None:
        super().__init__(url)
        self._engine = engine
        self._loads = count()
        self._schemas: dict[Hashable, str] = {}

    async def prepare(self) -> None:
        """Create the functions that empty the tables."""
        async with self._engine.connect() as connection:
            tables, sequences = await self._filled_by_use(connection)
            deletions = [_DELETE.format(table=table) for table in tables]
            restarts = [_RESTART.format(sequence=name, start=start) for name, start in sequences]
            truncation = _TRUNCATE.format(tables=", ".join(tables))
            await self._create_function(connection, "delete_rows", [*deletions, *restarts])
            await self._create_function(connection, "truncate_tables", [truncation])

    @override
    async def _save(self, key: Hashable) -> None:
        schema = self._schemas[key] = f"world{len(self._schemas)}"
        async with self._engine.connect() as connection:
            tables, sequences = await self._filled_by_use(connection)
            await connection.execute(text(f"CREATE SCHEMA {schema}"))
            statements = []
            for table in tables:
                if await connection.scalar(text(_HAS_ROWS.format(table=table))):
                    await connection.execute(text(_COPY.format(schema=schema, table=table)))
                    statements.append(_INSERT.format(schema=schema, table=table))
            for sequence, _ in sequences:
                last = await connection.scalar(text(_LAST.format(sequence=sequence)))
                if last is not None:
                    statements.append(_CONTINUE.format(sequence=sequence, last=last))
            await self._create_function(connection, f"insert_{schema}", statements)

    @override
    async def _load(self, key: Hashable | None) -> None:
        async with self._engine.connect() as connection:
            is_time = next(self._loads) % _DELETIONS_BEFORE_TRUNCATING == 0
            function = "truncate_tables" if is_time else "delete_rows"
            await connection.execute(text(f"SELECT {function}()"))
            if key is not None:
                await connection.execute(text(f"SELECT insert_{self._schemas[key]}()"))

    @staticmethod
    async def _filled_by_use(
        connection: AsyncConnection,
    ) -> tuple[list[str], list[tuple[str, int]]]:
        tables = list(await connection.scalars(text(_TABLES)))
        sequences = await connection.execute(text(_SEQUENCES))
        return tables, [(name, start) for name, start in sequences]

    @staticmethod
    async def _create_function(
        connection: AsyncConnection, name: str, statements: Iterable[str]
    ) -> None:
        body = _FUNCTION.format(name=name, statements="\n".join(statements))
        await connection.execute(text(body))


@asynccontextmanager
async def worker_postgres(server: TemporaryPostgres, name: str) -> AsyncIterator[WorkerPostgres]:
    await server.drop_database(name)
    await server.create_database(name, template=TEMPLATE)
    # A transaction that was left open must fail the next test, not hang it.
    engine = create_async_engine(
        server.url_for(name),
        isolation_level="AUTOCOMMIT",
        connect_args={"server_settings": {"lock_timeout": "60s"}},
    )
    database = WorkerPostgres(server.url_for(name), engine)
    await database.prepare()
    kept_databases.keep(database.url, stays_connected=True)
    try:
        yield database
    finally:
        await kept_databases.drop(database.url)
        await engine.dispose()
        await server.drop_database(name)
