"""Databases for tests: real ones with real commits, emptied or copied instead of rolled back."""

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from chatapi.core.settings import SQLITE_FILE
from tests.support.kept_databases import kept_databases
from tests.support.servers import TEMPLATE, migrate
from tests.support.temporary_postgres import TemporaryPostgres


@dataclass(frozen=True)
class SqliteTemplate:
    """A migrated file; a copy takes about a millisecond."""

    path: Path

    def copy_to(self, folder: Path) -> str:
        copied = folder / SQLITE_FILE
        shutil.copy(self.path, copied)
        return f"sqlite+aiosqlite:///{copied}"


@dataclass(frozen=True)
class WorkerSqlite:
    """The one SQLite file of a worker, replaced by a copy of the template for every test."""

    template: SqliteTemplate
    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / SQLITE_FILE

    def empty(self) -> str:
        # A new file with the same name: connections left open to the former one do no harm.
        for left in self.folder.iterdir():
            left.unlink()
        return self.template.copy_to(self.folder)


@asynccontextmanager
async def worker_sqlite(template: SqliteTemplate, folder: Path) -> AsyncIterator[WorkerSqlite]:
    database = WorkerSqlite(template, folder)
    url = database.empty()
    kept_databases.keep(url)
    try:
        yield database
    finally:
        await kept_databases.drop(url)


async def make_sqlite_template(folder: Path) -> SqliteTemplate:
    path = folder / "template.sqlite3"
    # Closing the last connection folds the write-ahead log into the file.
    await migrate(f"sqlite+aiosqlite:///{path}")
    return SqliteTemplate(path)


_FUNCTIONS = """
CREATE FUNCTION filled_by_use() RETURNS SETOF text LANGUAGE sql AS $$
    -- Which deployment it is, and of which version, comes with the tables and stays.
    SELECT quote_ident(tablename) FROM pg_tables
        WHERE schemaname = current_schema() AND tablename NOT IN ('deployment', 'alembic_version')
$$;
CREATE FUNCTION delete_rows() RETURNS void LANGUAGE plpgsql
-- All rows go, also those that triggers or foreign keys would delete.
SET session_replication_role = replica AS $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT filled_by_use() LOOP
        EXECUTE 'DELETE FROM ' || name;
    END LOOP;
    PERFORM setval(format('%I', sequencename)::regclass, start_value, false)
        FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL;
END $$;
CREATE FUNCTION truncate_tables() RETURNS void LANGUAGE plpgsql
SET session_replication_role = replica AS $$
BEGIN
    EXECUTE 'TRUNCATE ' || (SELECT string_agg(name, ', ') FROM filled_by_use() AS name)
        || ' RESTART IDENTITY';
END $$;
"""
_DELETIONS_BEFORE_TRUNCATING = 50
"""Rows that were deleted stay in the files, since nothing vacuums a database of tests."""


@dataclass(frozen=True)
class WorkerPostgres:
    """The one PostgreSQL database of a worker.

    Deleting the rows of a test takes a tenth of the time of truncating all tables. Both leave a
    test with nothing but real, committed transactions.
    """

    url: str
    engine: AsyncEngine
    _deletions: Iterator[int] = field(default_factory=count)

    async def empty(self) -> str:
        async with self.engine.connect() as connection:
            is_time = next(self._deletions) % _DELETIONS_BEFORE_TRUNCATING == 0
            function = "truncate_tables" if is_time else "delete_rows"
            await connection.execute(text(f"SELECT {function}()"))
        return self.url


@asynccontextmanager
async def worker_postgres(server: TemporaryPostgres, name: str) -> AsyncIterator[WorkerPostgres]:
    await server.drop_database(name)
    await server.create_database(name, template=TEMPLATE)
    # A transaction that was left open must fail the next test, not hang it.
    engine = create_async_engine(
        server.url_for(name),
        isolation_level="AUTOCOMMIT",
        connect_args={"server_settings": {"lock_timeout": "5000"}},
    )
    async with engine.connect() as connection:
        for function in _FUNCTIONS.split("CREATE ")[1:]:
            await connection.execute(text("CREATE " + function))
    url = server.url_for(name)
    kept_databases.keep(url)
    try:
        yield WorkerPostgres(url, engine)
    finally:
        await kept_databases.drop(url)
        await engine.dispose()
        await server.drop_database(name)
