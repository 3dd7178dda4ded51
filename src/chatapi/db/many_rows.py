"""Many new rows, and changes that go with them, in a single statement where the database can.

Everybody who writes in an organization waits for whoever holds its clock, and every statement is a
trip to PostgreSQL. SQLite has no trips to save, and no statement that writes into two tables.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import orjson
from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    Executable,
    Insert,
    Text,
    Update,
    bindparam,
    cast,
    column,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy.types import TypeEngine

from chatapi.db.base import Base

Row: TypeAlias = Mapping[str, Any]
Change: TypeAlias = Callable[[Mapping[str, ColumnElement[int]]], Update]
"""A change of one row of another table, made of the numbers it is given by name."""
Execute: TypeAlias = Callable[[Executable, Row | Sequence[Row]], Awaitable[object]]


class RowsWithChanges:
    """Adds rows to one table and changes rows of another; no two of them name the same tables."""

    def __init__(
        self, table: type[Base], columns: Sequence[str], change: Change, numbers: Sequence[str]
    ) -> None:
        types = {each.name: each.type for each in inspect(table).columns}
        self._table = table
        self._columns = {name: types[name] for name in columns}
        self._numbers = dict.fromkeys(numbers, BigInteger())
        self._change = change
        self.add = insert(table)
        self.change = change({name: bindparam(name, type_=BigInteger) for name in numbers})

    def parts(self, place: int) -> tuple[Insert, Update]:
        """Both for rows that come as JSON, in parameters of that place."""
        added = _given(f"rows_{place}", self._columns)
        changes = _given(f"changes_{place}", self._numbers)
        add = insert(self._table).from_select(list(added), select(*added.values()))
        return add, self._change(changes)


@dataclass(frozen=True)
class Pending:
    """What is to be written: rows by the names of their columns, changes by those of numbers."""

    kind: RowsWithChanges
    rows: Sequence[Row]
    changes: Sequence[Row]


async def write_together(pending: Sequence[Pending], execute: Execute, *, is_sqlite: bool) -> None:
    """Write everything, each kind once."""
    if is_sqlite:
        for each in pending:
            await execute(each.kind.add, each.rows)
            await execute(each.kind.change, each.changes)
        return
    values: dict[str, str] = {}
    for place, each in enumerate(pending):
        values[f"rows_{place}"] = orjson.dumps(each.rows).decode()
        values[f"changes_{place}"] = orjson.dumps(each.changes).decode()
    await execute(_one_statement(tuple(each.kind for each in pending)), values)


@cache
def _one_statement(kinds: tuple[RowsWithChanges, ...]) -> Insert:
    (statement, change), *others = (kind.parts(place) for place, kind in enumerate(kinds))
    statement = statement.add_cte(change.cte("changed_0"))
    for place, (add, change_too) in enumerate(others, start=1):
        statement = statement.add_cte(add.cte(f"added_{place}"), change_too.cte(f"changed_{place}"))
    return statement


def _given(name: str, types: Mapping[str, TypeEngine[Any]]) -> dict[str, ColumnElement[Any]]:
    """Rows that come as one text: a list for each column would be checked value by value."""
    rows = (
        func.json_to_recordset(cast(bindparam(name, type_=Text), JSON))
        .table_valued(*(column(each, kind) for each, kind in types.items()))
        .render_derived(f"given_{name}", with_types=True)
    )
    return {each: rows.c[each] for each in types}
