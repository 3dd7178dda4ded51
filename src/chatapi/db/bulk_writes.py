"""Bulk writes: many new rows, and the updates that go with them, in one statement if possible.

All writers of a realm wait for the transaction that holds its lock, and every statement is a round
trip to PostgreSQL. SQLite has no statement that writes to two tables, so several of them run in one
call (`sqlite_bulk_writes.py`).
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import orjson
from msgspec import Struct
from msgspec.structs import replace
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
    select,
    true,
)
from sqlalchemy.types import TypeEngine
from typing_extensions import override

from chatapi.db.base import Base

Row: TypeAlias = Mapping[str, Any]
Change: TypeAlias = Callable[[Mapping[str, ColumnElement[int]]], Update]
"""Builds the update of one row of another table from numbers, which are passed by name."""
Execute: TypeAlias = Callable[[Executable, Row | Sequence[Row]], Awaitable[object]]


_ROWS_AT_ONCE = 100
"""Per kind; more rows are encoded and sent in slices, between which other requests can run."""


class BulkInsert:
    """Inserts rows into a table."""

    def __init__(self, table: type[Base], columns: Sequence[str]) -> None:
        types = {each.name: each.type for each in table.__table__.columns}
        self._table = table
        self._types = {name: types[name] for name in columns}
        self.columns = tuple(columns)
        self.add = insert(table)

    def parts(self, place: int, condition: ColumnElement[bool]) -> tuple[Insert | Update, ...]:
        """Return the statements for rows that are passed as JSON, in the parameters of `place`."""
        added = _rows_from_json(f"rows_{place}", self._types)
        rows = select(*added.values()).where(condition)
        return (insert(self._table).from_select(list(added), rows),)


class BulkInsertWithUpdates(BulkInsert):
    """Inserts rows into one table and updates rows of another; no two kinds share a table."""

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


class PendingWrite(Struct, frozen=True):
    """Rows to insert, by column names, and updates to make, by the names of their numbers."""

    kind: BulkInsert
    rows: Sequence[Row]
    changes: Sequence[Row]


class DeferredWrites:
    """Bulk writes of a transaction that run together, before its next statement or its commit."""

    __slots__ = ("pending",)

    def __init__(self) -> None:
        self.pending: list[PendingWrite] = []

    def has(self, kind: BulkInsert) -> bool:
        """Whether a write of this kind is deferred: one statement holds at most one of each."""
        return any(each.kind is kind for each in self.pending)

    def add(self, kind: BulkInsert, rows: Sequence[Row], changes: Sequence[Row]) -> None:
        self.pending.append(PendingWrite(kind, rows, changes))

    def take(self) -> list[PendingWrite]:
        """Return the deferred writes, for the caller to run."""
        pending, self.pending = self.pending, []
        return pending

    async def write(self, execute: Execute) -> None:
        """Write everything: in one statement, or in slices where there are many rows."""
        pending = self.take()
        if any(len(each.rows) > _ROWS_AT_ONCE for each in pending):
            for slice_ in (each for whole in pending for each in _slices(whole)):
                await execute(_all_at_once((slice_.kind,)), values_of([slice_]))
            return
        await execute(_all_at_once(kinds_of(pending)), values_of(pending))


def _slices(pending: PendingWrite) -> Iterator[PendingWrite]:
    """Split the rows into slices; the updates go with the last one."""
    starts = range(0, len(pending.rows), _ROWS_AT_ONCE)
    for start in starts:
        rows = pending.rows[start : start + _ROWS_AT_ONCE]
        is_last = start == starts[-1]
        yield replace(pending, rows=rows, changes=pending.changes if is_last else [])


def kinds_of(pending: Sequence[PendingWrite]) -> tuple[BulkInsert, ...]:
    return tuple(each.kind for each in pending)


def values_of(pending: Sequence[PendingWrite]) -> dict[str, str]:
    """Return the parameters of all parts."""
    values: dict[str, str] = {}
    for place, each in enumerate(pending):
        values[f"rows_{place}"] = orjson.dumps(each.rows).decode()
        if isinstance(each.kind, BulkInsertWithUpdates):
            values[f"changes_{place}"] = orjson.dumps(each.changes).decode()
    return values


def all_parts(
    kinds: Sequence[BulkInsert], condition: ColumnElement[bool]
) -> Iterator[tuple[str, Insert | Update]]:
    """Yield the parts of a single statement, by name; each writes only if the condition holds."""
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
    """Return the columns of rows passed as one text: the driver would check arrays by value."""
    rows = (
        func.json_to_recordset(cast(bindparam(name, type_=Text), JSON))
        .table_valued(*(column(each, kind) for each, kind in types.items()))
        .render_derived(f"given_{name}", with_types=True)
    )
    return {each: rows.c[each] for each in types}
