"""Bulk writes on SQLite: all statements of a transaction's deferred writes in one call.

SQLAlchemy would call into SQLite's thread for each of them, and process every value of every row.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, TypeAlias

from msgspec import Struct
from sqlalchemy import Dialect, Insert, Update

from chatapi.db.bulk_writes import BulkInsertWithUpdates, PendingWrite
from chatapi.db.database import Database
from chatapi.db.driver_statements import Converters, convert_places, values_of
from chatapi.db.sqlite_driver import EagerConnection, sqlite_errors
from chatapi.db.statement_log import log_driver_statement

_Row: TypeAlias = Mapping[str, Any]


class _DriverStatement(Struct, frozen=True):
    """A statement as SQLite's driver executes it for many rows."""

    sql: str
    values_of: Callable[[_Row], tuple[Any, ...]]
    converters: Converters

    def execute(self, raw: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        raw.executemany(self.sql, map(self._convert, rows)).close()

    def _convert(self, row: _Row) -> Sequence[Any]:
        values = [*self.values_of(row)]
        convert_places(values, self.converters)
        return values


async def write_on_thread(
    database: Database, driver: EagerConnection, pending: Sequence[PendingWrite]
) -> None:
    """Run all these writes in the open transaction of a connection."""
    steps = [*_steps(pending, database.engine.dialect)]
    database.round_trips += 1
    if database.trace_statement is not None:
        database.trace_statement(";\n".join(statement.sql for statement, _ in steps))
    for statement, rows in steps:
        log_driver_statement(statement.sql, f"{len(rows)} rows")

    def write(raw: sqlite3.Connection) -> None:
        for statement, rows in steps:
            with sqlite_errors(statement.sql):
                statement.execute(raw, rows)

    await driver.on_thread(write)


def _steps(
    pending: Sequence[PendingWrite], dialect: Dialect
) -> Iterator[tuple[_DriverStatement, Sequence[_Row]]]:
    for each in pending:
        kind = each.kind
        yield _compile(kind.add, kind.columns, dialect), each.rows
        if isinstance(kind, BulkInsertWithUpdates):
            yield _compile(kind.change, None, dialect), each.changes


@cache
def _compile(
    statement: Insert | Update, columns: tuple[str, ...] | None, dialect: Dialect
) -> _DriverStatement:
    compiled = statement.compile(dialect=dialect, column_keys=columns)
    names, converters = values_of(compiled, dialect)
    return _DriverStatement(str(compiled), itemgetter(*names), converters)
