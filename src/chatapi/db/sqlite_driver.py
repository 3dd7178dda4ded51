"""SQLite's driver with one call into its thread for each statement instead of four."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, cast

import aiosqlite
from typing_extensions import override

_Row = tuple[Any, ...]


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


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


async def connect(database: str, **options: Any) -> EagerConnection:  # noqa: ANN401 (the driver's)
    def open_connection() -> sqlite3.Connection:
        raw: sqlite3.Connection = sqlite3.connect(database, **options)
        # SQLite's own `lower` handles ASCII letters only; PostgreSQL's handles all letters.
        raw.create_function("lower", 1, _lower, deterministic=True)
        return raw

    connection = EagerConnection(open_connection, iter_chunk_size=64)
    # As SQLAlchemy does it: a process that ends does not wait for its connections.
    connection._thread.daemon = True  # noqa: SLF001 (there is no other way)
    return cast(EagerConnection, await connection)
