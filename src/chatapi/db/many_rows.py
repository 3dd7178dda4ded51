"""Many new rows, and changes that go with them, in a single statement where the database can.

Everybody who writes in an organization waits for whoever holds its clock, and every statement is a
trip to PostgreSQL. SQLite has no trips to save, and no statement that writes into two tables.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Update, bindparam, func, insert, inspect, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.types import TypeEngine

from chatapi.db.base import Base
from chatapi.db.session import DatabaseSession

Row = Mapping[str, Any]
Change = Callable[[Mapping[str, ColumnElement[int]]], Update]
"""A change of one row of another table, made of the numbers it is given by name."""


class RowsWithChanges:
    """Adds rows to one table and changes rows of another."""

    def __init__(
        self, table: type[Base], columns: Sequence[str], change: Change, numbers: Sequence[str]
    ) -> None:
        self._columns = tuple(columns)
        self._numbers = tuple(numbers)
        self._add = insert(table)
        self._change = change({name: bindparam(name, type_=BigInteger) for name in numbers})
        types = {column.name: column.type for column in inspect(table).columns}
        added = _unnested("added", {name: types[name] for name in columns})
        changes = _unnested("changes", dict.fromkeys(numbers, BigInteger()))
        self._both = (
            insert(table)
            .from_select(list(columns), select(*added.values()))
            .add_cte(change(changes).cte("changed"))
        )

    async def write(self, db: DatabaseSession, rows: Sequence[Row], changes: Sequence[Row]) -> None:
        """Rows by the names of their columns, and the numbers of each change by theirs."""
        if db.database.is_sqlite:
            await db.execute(self._add, rows)
            await db.execute(self._change, changes)
            return
        values = {f"added_{name}": [row[name] for row in rows] for name in self._columns}
        values |= {f"changes_{name}": [row[name] for row in changes] for name in self._numbers}
        await db.execute(self._both, values)


def _unnested(name: str, types: Mapping[str, TypeEngine[Any]]) -> dict[str, ColumnElement[Any]]:
    """Rows that come as one list for each column, which PostgreSQL puts together again."""
    lists = [bindparam(f"{name}_{each}", type_=ARRAY(kind)) for each, kind in types.items()]
    rows = func.unnest(*lists).table_valued(*types, name=name).render_derived()
    return {each: rows.c[each] for each in types}
