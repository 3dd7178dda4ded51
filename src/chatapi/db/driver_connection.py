"""Pooled connections whose statements run directly on PostgreSQL's driver."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from sqlalchemy import Dialect, PoolProxiedConnection, Select

from chatapi.core.tracing import Wait
from chatapi.db.database import Database
from chatapi.db.statement_log import log_driver_statement

if TYPE_CHECKING:
    import asyncpg

Statement: TypeAlias = Select[*tuple[Any, ...]]


class DriverConnection:
    """A connection of the pool for statements that are transactions by themselves.

    Such a statement costs a round trip to the database and little else. Checking a connection out
    through SQLAlchemy, and its usual processing of statements and results, cost several times as
    much, and numbers and texts do not need it.
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

    async def fetch(self, statement: Statement, values: Mapping[str, Any]) -> list[Any]:
        """Run a statement and return its rows; pass the same object each time."""
        database = self._database
        sql, names, given = _written_out(statement, database.engine.dialect)
        arguments = [values[name] if name in values else given[name] for name in names]
        log_driver_statement(sql, arguments)
        database.round_trips += 1
        with self._waiting:
            if database.trace_statement is not None:
                database.trace_statement(sql)
            return await self._fetch(sql, arguments)

    async def _fetch(self, sql: str, arguments: list[Any]) -> list[Any]:
        # Loaded when the first connection was opened; a server on SQLite has none.
        import asyncpg  # noqa: PLC0415

        try:
            rows: list[Any] = await self._driver.fetch(sql, *arguments)
        except (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
            self._pooled.invalidate()
            raise ConnectionResetError("the connection to the database was lost") from error
        except (asyncpg.PostgresConnectionError, asyncio.CancelledError):
            # The response to a cancelled statement may still be on its way.
            self._pooled.invalidate()
            raise
        return rows

    def close(self) -> None:
        """Return the connection to the pool. There is no transaction that would have to end."""
        self._database.watchdog.remove(self._watched)
        self._pooled.close()


@cache
def _written_out(
    statement: Statement, dialect: Dialect
) -> tuple[str, list[str], Mapping[str, Any]]:
    compiled = statement.compile(dialect=dialect)
    return str(compiled), list(compiled.positiontup or ()), compiled.params
