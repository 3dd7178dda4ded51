"""One connection of a session: from the pool, for reading, and back."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Self, TypeAlias

import structlog
from sqlalchemy import CursorResult, Executable
from sqlalchemy.ext.asyncio.engine import AsyncConnection
from typing_extensions import override

from chatapi.core.tracing import Wait
from chatapi.db.connection_watchdog import WatchedConnection
from chatapi.db.database import Database
from chatapi.db.driver_connection import Fetch, fetch_on_postgres, run_on_driver
from chatapi.db.driver_statements import ReadStatement
from chatapi.db.sqlite_driver import EagerConnection, fetch_on_sqlite, sqlite_connection_of
from chatapi.db.time_limit import execute_with_timeout

log = structlog.get_logger()

Values: TypeAlias = Mapping[str, Any]

_NOT_WATCHED = nullcontext()
_BEGIN = {True: "BEGIN DEFERRED", False: "BEGIN ISOLATION LEVEL REPEATABLE READ"}
"""By whether it is SQLite."""
_ROLL_BACK = "ROLLBACK"


class PooledConnection:
    """A connection that was checked out, and is watched while a response is awaited."""

    __slots__ = ("_watched", "connection", "database", "waiting")

    def __init__(self, database: Database, connection: AsyncConnection) -> None:
        self.database = database
        self.connection = connection
        self._watched = database.watch(connection)
        self.waiting: Wait = _NOT_WATCHED if self._watched is None else self._watched
        """Entered around each wait for a response."""
        if database.trace_wait is not None:
            self.waiting = database.trace_wait(self.waiting)

    async def execute(
        self, statement: Executable, values: Values | Sequence[Values] | None, seconds: float | None
    ) -> CursorResult[*tuple[Any, ...]]:
        """Run a statement; one that takes longer than `seconds` is cancelled."""
        connection = self.connection
        self.database.round_trips += 1
        with self.waiting:
            if seconds is None:
                return await connection.execute(statement, values)
            return await execute_with_timeout(
                seconds, connection, lambda: connection.execute(statement, values)
            )

    async def fetch(
        self, statement: ReadStatement, values: Values, seconds: float | None
    ) -> Sequence[Any]:
        """Run a statement that reads, and return its rows."""
        return (await self.execute(statement, values, seconds)).all()

    async def close(self) -> None:
        """Return the connection to the pool; an open transaction is rolled back."""
        # Unlike its `close`, SQLAlchemy's `__aexit__` ends even if the caller is cancelled.
        if self._watched is None:
            await self.connection.__aexit__(None, None, None)
            return
        try:
            # A rollback waits for a response as well.
            with self._watched:
                await self.connection.__aexit__(None, None, None)
        finally:
            self.database.watchdog.remove(self._watched)


class Reading(PooledConnection):
    """Reads statement by statement: each sees what was committed before it."""

    __slots__ = ("_fetch",)

    def __init__(self, database: Database, connection: AsyncConnection) -> None:
        super().__init__(database, connection)
        self._fetch = _fetch_of(connection)

    @classmethod
    async def open(cls, database: Database) -> Self:
        database.require_file()
        return cls(database, await database.connect(database.reader))

    @override
    async def fetch(
        self, statement: ReadStatement, values: Values, seconds: float | None
    ) -> Sequence[Any]:
        """Run a statement on the driver, which costs a fifth of what SQLAlchemy takes."""
        run = partial(run_on_driver, self.database, self._fetch, statement, values)
        with self.waiting:
            if seconds is None:
                return await run()
            return await execute_with_timeout(seconds, self.connection, run)

    @override
    async def close(self) -> None:
        """Return the connection to the pool; on PostgreSQL there is nothing to wait for."""
        if self._watched is None:
            await super().close()
            return
        try:
            await self.connection.close()
        finally:
            self.database.watchdog.remove(self._watched)


class Snapshot(Reading):
    """Reads in one transaction: all statements see the same state of the database."""

    __slots__ = ()

    @classmethod
    @override
    async def open(cls, database: Database) -> Self:
        snapshot = await super().open(database)
        try:
            await snapshot.begin()
        except BaseException:
            await snapshot.close()
            raise
        return snapshot

    async def begin(self) -> None:
        """Begin the transaction on the driver.

        SQLAlchemy would begin it only with the first statement that it runs itself, and takes
        several times as long.
        """
        with self._watched or _NOT_WATCHED:
            await self._fetch(_BEGIN[self.database.is_sqlite], ())

    @override
    async def close(self) -> None:
        """End the transaction, and return the connection to the pool."""
        try:
            # On SQLite the pool ends it.
            if self._watched is not None and not self.connection.invalidated:
                await self._roll_back(self._watched)
        finally:
            await super().close()

    async def _roll_back(self, watched: WatchedConnection) -> None:
        try:
            with watched:
                await self._fetch(_ROLL_BACK, ())
        except Exception:
            # What was read is valid, and the transaction ends with its connection.
            if not self.connection.invalidated:
                await self.connection.invalidate()
            log.warning("snapshot_not_closed", exc_info=True)


def _fetch_of(connection: AsyncConnection) -> Fetch:
    sqlite = sqlite_connection_of(connection)
    if sqlite is not None:
        return partial(_fetch_on_sqlite, connection, sqlite)
    checked_out = connection.sync_connection
    if checked_out is None:
        raise RuntimeError("the connection is closed")
    driver = checked_out.connection.driver_connection
    return partial(fetch_on_postgres, driver, checked_out.invalidate)


async def _fetch_on_sqlite(
    connection: AsyncConnection, driver: EagerConnection, sql: str, arguments: Sequence[Any]
) -> list[Any]:
    try:
        return await fetch_on_sqlite(driver, sql, arguments)
    except asyncio.CancelledError:
        # The statement may still run in the connection's thread.
        await connection.invalidate()
        raise
