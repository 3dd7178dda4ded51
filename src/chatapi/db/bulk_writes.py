"""Many new rows, and changes that go with them, in a single statement where the database can.

Everybody who writes in an organization waits for whoever holds its clock, and every statement is a
trip to PostgreSQL. SQLite has no trips to save, and no statement that writes into two tables.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    true,
)
from sqlalchemy.types import TypeEngine
from typing_extensions import override

from chatapi.db.base import Base

Row: TypeAlias = Mapping[str, Any]
Change: TypeAlias = Callable[[Mapping[str, ColumnElement[int]]], Update]
"""A change of one row of another table, made of the numbers it is given by name."""
Execute: TypeAlias = Callable[[Executable, Row | Sequence[Row]], Awaitable[object]]


_ROWS_AT_ONCE = 100
"""Of one kind; more are encoded and sent in slices, between which other requests get their turn."""


class BulkInsert:
    """Adds rows to a table."""

    def __init__(self, table: type[Base], columns: Sequence[str]) -> None:
        types = {each.name: each.type for each in inspect(table).columns}
        self._table = table
        self._columns = {name: types[name] for name in columns}
        self.add = insert(table)

    def parts(self, place: int, condition: ColumnElement[bool]) -> tuple[Insert | Update, ...]:
        """For rows that come as JSON, in parameters of that place."""
        added = _rows_from_json(f"rows_{place}", self._columns)
        rows = select(*added.values()).where(condition)
        return (insert(self._table).from_select(list(added), rows),)


class BulkInsertWithUpdates(BulkInsert):
    """Adds rows to one table and changes rows of another; no two of them name the same tables."""

    def __init__(
        self, table: type[Base], columns: Sequence[str], change: Change, numbers: Sequence[str]
    ) -> None:
        super().__init__(table, columns)
        self._numbers = dict.fromkeys(numbers, BigInteger())
        self._change = change
        self.change = change({name: bindparam(name, type_=BigInteger) for name in numbers})

    @override
    def parts(self, place: int, condition: ColumnElement[bool]) -> tuple[Insert | Update, ...]:
        change = self._change(_rows_from_json(f"changes_{place}", self._numbers))
        return *super().parts(place, condition), change.where(condition)


@dataclass(frozen=True)
class PendingWrite:
    """What is to be written: rows by the names of their columns, changes by those of numbers."""

    kind: BulkInsert
    rows: Sequence[Row]
    changes: Sequence[Row]


async def execute_pending(
    pending: Sequence[PendingWrite], execute: Execute, *, is_sqlite: bool
) -> None:
    """Write everything, each kind once, or in slices where there are many rows."""
    if is_sqlite:
        for each in pending:
            await execute(each.kind.add, each.rows)
            if isinstance(each.kind, BulkInsertWithUpdates):
                await execute(each.kind.change, each.changes)
        return
    if any(len(each.rows) > _ROWS_AT_ONCE for each in pending):
        for slice_ in (each for whole in pending for each in _slices(whole)):
            await execute(_all_at_once((slice_.kind,)), values_of([slice_]))
        return
    await execute(_all_at_once(kinds_of(pending)), values_of(pending))


def _slices(pending: PendingWrite) -> Iterator[PendingWrite]:
    """The rows in slices; changes go with the last of them."""
    starts = range(0, len(pending.rows), _ROWS_AT_ONCE)
    for start in starts:
        rows = pending.rows[start : start + _ROWS_AT_ONCE]
        is_last = start == starts[-1]
        yield replace(pending, rows=rows, changes=pending.changes if is_last else [])


def kinds_of(pending: Sequence[PendingWrite]) -> tuple[BulkInsert, ...]:
    return tuple(each.kind for each in pending)


def values_of(pending: Sequence[PendingWrite]) -> dict[str, str]:
    """The parameters of all parts."""
    values: dict[str, str] = {}
    for place, each in enumerate(pending):
        values[f"rows_{place}"] = orjson.dumps(each.rows).decode()
        if isinstance(each.kind, BulkInsertWithUpdates):
            values[f"changes_{place}"] = orjson.dumps(each.changes).decode()
    return values


def all_parts(
    kinds: Sequence[BulkInsert], condition: ColumnElement[bool]
) -> Iterator[tuple[str, Insert | Update]]:
    """What a single statement is made of, by name; each does something if the condition holds."""
    for place, kind in enumerate(kinds):
        for step, part in enumerate(kind.parts(place, condition)):
            yield f"part_{place}_{step}", part


@cache
def _all_at_once(kinds: tuple[BulkInsert, ...]) -> Insert | Update:
    (_, statement), *others = all_parts(kinds, true())
    return statement.add_cte(*(part.cte(name) for name, part in others))


def _rows_from_json(
    name: str, types: Mapping[str, TypeEngine[Any]]
) -> dict[str, ColumnElement[Any]]:
    """Rows that come as one text: a list for each column would be checked value by value."""
    rows = (
        func.json_to_recordset(cast(bindparam(name, type_=Text), JSON))
        .table_valued(*(column(each, kind) for each, kind in types.items()))
        .render_derived(f"given_{name}", with_types=True)
    )
    return {each: rows.c[each] for each in types}
