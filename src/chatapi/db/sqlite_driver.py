"""SQLite's driver with one call into its thread for each statement instead of four."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Self

import aiosqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio.engine import AsyncConnection
from typing_extensions import override

_Row = tuple[Any, ...]

_BUSY_SECONDS = 10
"""How long a connection waits for a lock that another one holds."""
_RETRY_SECONDS = 0.02


class EagerCursor:
    """Opens, executes, reads all rows and closes in one call; later calls use the rows here.

    Every call is two thread switches, which add up where requests have many statements.
    """

    arraysize = 1

    def __init__(self, connection: "EagerConnection") -> None:
        self._connection = connection
        self._rows: list[_Row] = []
        self.description: Any = None
        self.rowcount = -1
        self.lastrowid: int | None = None

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Self:
        await self._connection.on_thread(lambda raw: self._keep(raw.execute(sql, parameters)))
        return self

    async def executemany(self, sql: str, parameters: Iterable[Sequence[Any]]) -> Self:
        await self._connection.on_thread(lambda raw: self._keep(raw.executemany(sql, parameters)))
        return self

    async def fetchall(self) -> list[_Row]:
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Do nothing: the cursor is already closed."""

    def _keep(self, cursor: sqlite3.Cursor) -> None:
        self._rows = cursor.fetchall()
        # After fetching: with RETURNING, rows are counted as they are read.
        self.description = cursor.description
        self.rowcount = cursor.rowcount
        self.lastrowid = cursor.lastrowid
        cursor.close()


class EagerConnection(aiosqlite.Connection):
    """The driver's connection, with cursors that do everything in one call."""

    @override
    def cursor(self) -> EagerCursor:  # type: ignore[override]  # what SQLAlchemy needs of one
        return EagerCursor(self)

    async def on_thread(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Run a function with SQLite's own connection, in the thread it belongs to."""
        await self._execute(work, self._conn)  # type: ignore[no-untyped-call]

    def interrupt_statement(self) -> None:
        """Make the statement that runs in the connection's thread fail, from any thread."""
        self._conn.interrupt()


def sqlite_connection_of(connection: AsyncConnection) -> EagerConnection | None:
    """Return the driver's connection in use, None if it is one of PostgreSQL."""
    pooled = connection.sync_connection and connection.sync_connection.connection
    driver = pooled and pooled.driver_connection
    return driver if isinstance(driver, EagerConnection) else None


async def fetch_on_sqlite(
    connection: EagerConnection, sql: str, arguments: Sequence[Any]
) -> list[_Row]:
    """Run a statement that reads, and return its rows."""
    rows: list[_Row] = []

    def fetch(raw: sqlite3.Connection) -> None:
        with sqlite_errors(sql):
            rows.extend(raw.execute(sql, arguments))

    await connection.on_thread(fetch)
    return rows


@contextmanager
def sqlite_errors(sql: str) -> Iterator[None]:
    """Raise the driver's errors as SQLAlchemy does.

    They do not contain the statement's values, which may be texts of users.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise DBAPIError.instance(sql, None, error, sqlite3.Error, hide_parameters=True) from error


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


async def connect(
    database: str,
    *,
    check: Callable[[], None] | None = None,
    **options: Any,  # noqa: ANN401 (the driver's)
) -> EagerConnection:
    """Open a file with the settings that every connection needs.

    `check` raises if the file is not the one that other connections of this process have open.
    """
    connection = EagerConnection(partial(sqlite3.connect, database, **options), iter_chunk_size=64)
    # As SQLAlchemy does it: a process that ends does not wait for its connections.
    connection._thread.daemon = True  # noqa: SLF001 (there is no other way)
    try:
        _ = await connection
        if check is not None:
            # The file is open, and not yet those beside it. If it were another one under the same
            # name, the first statement would truncate their shared memory, which ends the process.
            check()
        await connection.on_thread(_configure)
    except BaseException as error:
        await connection.close()
        if isinstance(error, sqlite3.Error):
            # Its thread has nothing left to do but to report its end to the event loop, which a
            # command that fails closes right now.
            connection._thread.join()  # noqa: SLF001 (likewise)
        raise
    return connection


def _configure(raw: sqlite3.Connection) -> None:
    # The driver must not begin transactions itself: it would do so too late and with a weaker lock.
    raw.isolation_level = None
    # SQLite's own `lower` handles ASCII letters only; PostgreSQL's handles all letters.
    raw.create_function("lower", 1, _lower, deterministic=True)
    raw.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    _use_write_ahead_log(raw)
    raw.execute("PRAGMA synchronous = FULL")  # committed transactions survive a power cut
    raw.execute("PRAGMA foreign_keys = ON")


def _use_write_ahead_log(raw: sqlite3.Connection) -> None:
    """Have the file use a write-ahead log.

    While another connection does the same, or is the last one and closes the file, SQLite fails
    at once, whatever its timeout says.
    """
    give_up = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            raw.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > give_up:
                raise
            time.sleep(_RETRY_SECONDS)
        else:
            return
