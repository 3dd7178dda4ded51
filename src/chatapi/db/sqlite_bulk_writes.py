"""Bulk writes on SQLite: all statements of a transaction's deferred writes in one call.

SQLAlchemy would call into SQLite's thread for each of them, and process every value of every row.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any, TypeAlias

from sqlalchemy import Dialect, Insert, Update
from sqlalchemy.exc import DBAPIError

from chatapi.db.bulk_writes import BulkInsertWithUpdates, PendingWrite
from chatapi.db.database import Database
from chatapi.db.sqlite_driver import EagerConnection
from chatapi.db.statement_log import log_driver_statement

_Row: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class _DriverStatement:
    """A statement as SQLite's driver executes it for many rows."""

    sql: str
    values_of: Callable[[_Row], tuple[Any, ...]]
    converters: tuple[tuple[int, Callable[[Any], Any]], ...]
    """By the places of values that the driver cannot store as they are."""

    def execute(self, raw: sqlite3.Connection, rows: Sequence[_Row]) -> None:
        raw.executemany(self.sql, map(self._convert, rows)).close()

    def _convert(self, row: _Row) -> Sequence[Any]:
        values = [*self.values_of(row)]
        for place, convert in self.converters:
            values[place] = convert(values[place])
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
        log_driver_statement(statement.sql, rows)

    def write(raw: sqlite3.Connection) -> None:
        for statement, rows in steps:
            try:
                statement.execute(raw, rows)
            except sqlite3.Error as error:
                # As SQLAlchemy raises it; without the parameters, which are texts of users.
                raise DBAPIError.instance(
                    statement.sql, None, error, sqlite3.Error, hide_parameters=True
                ) from error

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
    names = list(compiled.positiontup or ())
    types = {name: compiled.binds[name].type for name in names}
    processors = {
        place: types[name].dialect_impl(dialect).bind_processor(dialect)
        for place, name in enumerate(names)
    }
    return _DriverStatement(
        sql=str(compiled),
        values_of=itemgetter(*names),
        converters=tuple(
            (place, convert) for place, convert in processors.items() if convert is not None
        ),
    )
