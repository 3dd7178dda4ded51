"""Runs statements that are transactions by themselves directly on PostgreSQL's driver."""

import logging
from collections.abc import Mapping
from functools import cache
from typing import Any

import asyncpg
from sqlalchemy import Dialect, Select
from sqlalchemy.ext.asyncio import AsyncConnection

# SQLAlchemy's own logger: who switches on its log of statements sees these as well.
_statement_log = logging.getLogger("sqlalchemy.engine.Engine")


async def execute_on_driver(
    connection: AsyncConnection, statement: Select[*tuple[Any, ...]], values: Mapping[str, Any]
) -> list[Any]:
    """Run a statement on a connection without a transaction; pass the same object each time.

    That costs a round trip to the database and little else. SQLAlchemy's usual processing costs
    several times as much, and these values, numbers and texts, do not need it.
    """
    sql, names, given = _written_out(statement, connection.dialect)
    driver: asyncpg.Connection[Any] = (await connection.get_raw_connection()).driver_connection
    arguments = [{**given, **values}[name] for name in names]
    if _statement_log.isEnabledFor(logging.INFO):
        _statement_log.info("%s\n[on the driver] %r", sql, arguments)
    try:
        rows: list[Any] = await driver.fetch(sql, *arguments)
    except (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
        await connection.invalidate()
        raise ConnectionResetError("the connection to the database was lost") from error
    except asyncpg.PostgresConnectionError:
        await connection.invalidate()
        raise
    return rows


@cache
def _written_out(
    statement: Select[*tuple[Any, ...]], dialect: Dialect
) -> tuple[str, list[str], Mapping[str, Any]]:
    compiled = statement.compile(dialect=dialect)
    return str(compiled), list(compiled.positiontup or ()), compiled.params
