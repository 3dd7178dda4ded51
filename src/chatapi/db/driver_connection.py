"""Pooled connections whose statements run directly on PostgreSQL's driver."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from sqlalchemy import PoolProxiedConnection

from chatapi.core.tracing import Wait
from chatapi.db.database import Database
from chatapi.db.driver_statements import ReadStatement, WriteStatement, compile_for_driver
from chatapi.db.statement_log import log_driver_statement

if TYPE_CHECKING:
    import asyncpg

_CLOSE_SECONDS = 2.0

Fetch: TypeAlias = Callable[[str, Sequence[Any]], Awaitable[Sequence[Any]]]
"""Runs a statement with its arguments on a driver, and returns the driver's rows."""


class DriverConnection:
    """A connection of the pool for statements that are transactions by themselves.

    Such a statement costs a round trip to the database and little else. Checking a connection out
    through SQLAlchemy, and its usual processing of statements and results, cost several times as
    much.
    """

    __slots__ = ("_database", "_driver", "_pooled", "_waiting", "_watched")

    def __init__(self, database: Database, pooled: PoolProxiedConnection) -> None:
        self._database = database
        self._pooled = pooled
        self._driver: asyncpg.Connection[Any] = pooled.driver_connection
        self._watched = database.watchdog.add(self._driver)
        self._waiting: Wait = self._watched
        if database.trace_wait is not None:
            self._waiting = database.trace_wait(self._waiting)

    @classmethod
    async def open(cls, database: Database) -> Self:
        """Check a connection out of the pool; the caller closes it."""
        return cls(database, await database.check_out(database.engine.raw_connection))

    async def fetch(
        self, statement: ReadStatement | WriteStatement, values: Mapping[str, Any]
    ) -> Sequence[Any]:
        """Run a statement and return its rows; pass the same object each time."""
        with self._waiting:
            return await run_on_driver(self._database, self._fetch, statement, values)

    async def _fetch(self, sql: str, arguments: Sequence[Any]) -> list[Any]:
        return await fetch_on_postgres(self._driver, self._pooled.invalidate, sql, arguments)

    def close(self) -> None:
        """Return the connection to the pool. There is no transaction that would have to end."""
        self._database.watchdog.remove(self._watched)
        self._pooled.close()


async def run_on_driver(
    database: Database,
    fetch: Fetch,
    statement: ReadStatement | WriteStatement,
    values: Mapping[str, Any],
) -> Sequence[Any]:
    """Run a statement on a driver, logged, counted and traced as others are."""
    compiled = compile_for_driver(statement, database.engine.dialect)
    arguments = compiled.arguments(values)
    log_driver_statement(compiled.sql, arguments)
    database.round_trips += 1
    if database.trace_statement is not None:
        database.trace_statement(compiled.sql)
    return await compiled.convert(await fetch(compiled.sql, arguments))


async def fetch_on_postgres(
    driver: "asyncpg.Connection[Any]",
    invalidate: Callable[[], object],
    sql: str,
    arguments: Sequence[Any],
) -> list[Any]:
    """Run a statement on PostgreSQL's driver; `invalidate` discards a connection that is lost."""
    # Loaded when the first connection was opened; a server on SQLite has none.
    import asyncpg  # noqa: PLC0415

    try:
        rows: list[Any] = await driver.fetch(sql, *arguments)
    except (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
        invalidate()
        raise ConnectionResetError("the connection to the database was lost") from error
    except asyncpg.PostgresConnectionError:
        invalidate()
        raise
    except asyncio.CancelledError:
        # The response may still be on its way. Closing waits until the server was asked to cancel
        # the statement; a connection that is only discarded would let it run on.
        with suppress(Exception):
            await asyncio.shield(driver.close(timeout=_CLOSE_SECONDS))
        invalidate()
        raise
    return rows
