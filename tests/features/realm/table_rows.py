"""A row of an organization in every table, made from the tables alone, and all rows compared."""

from datetime import UTC, datetime
from itertools import count
from typing import Any

from sqlalchemy import JSON, Boolean, Column, Integer, Table, insert, select, text
from sqlalchemy.types import TypeDecorator

from chatapi.core.ids import RealmId
from chatapi.db.base import EnumColumn, UtcDateTime
from chatapi.db.database import Database
from chatapi.db.models import metadata

WITHOUT_REALM = {"deployment", "epoch"}
"""The tables whose rows belong to no organization."""
_numbers = count(1)

Row = dict[str, Any]
Rows = dict[str, list[tuple[Any, ...]]]


async def fill_every_table(database: Database, realm_id: RealmId) -> None:
    """Insert one row of an organization into each table that its creation has left empty."""
    async with database.engine.begin() as connection:
        rows: dict[str, Row] = {"realm": {"id": realm_id}}
        epoch = await connection.execute(text("SELECT max(id) AS id FROM epoch"))
        rows["epoch"] = dict(epoch.mappings().one())
        for table in metadata.sorted_tables:
            if table.name in rows or table.name in WITHOUT_REALM:
                continue
            known = await connection.execute(select(table).where(*_parents_are(table, rows)))
            row = known.mappings().first()
            if row is None:
                added = await connection.execute(
                    insert(table).values(_values(table, rows)).returning(*table.columns)
                )
                row = added.mappings().one()
            rows[table.name] = dict(row)


async def read_all_rows(database: Database) -> Rows:
    """Everything that is stored, index of search included."""
    found: Rows = {}
    async with database.engine.connect() as connection:
        for table in metadata.sorted_tables:
            rows = await connection.execute(select(table))
            found[table.name] = sorted((tuple(row) for row in rows), key=repr)
        for index in ("message_search", "conversation_search"):
            key = "rowid" if database.is_sqlite else "id"
            rows = await connection.execute(text(f"SELECT {key} FROM {index} ORDER BY 1"))  # noqa: S608
            found[index] = [tuple(row) for row in rows]
    return found


def _parents_are(table: Table, rows: dict[str, Row]) -> list[Any]:
    """Conditions for rows that belong to the rows so far."""
    keys = [key for key in table.foreign_keys if key.column.table.name in rows]
    required = [key for key in keys if not key.parent.nullable]
    return [key.parent == rows[key.column.table.name][key.column.name] for key in required or keys]


def _values(table: Table, rows: dict[str, Row]) -> Row:
    return {
        column.name: _value(column, rows)
        for column in table.columns
        if column.identity is None and (column.foreign_keys or not column.nullable)
    }


def _value(column: Column[Any], rows: dict[str, Row]) -> Any:
    for key in column.foreign_keys:
        # A reference of a table to itself: the row before is there, or none is needed.
        parent = rows.get(key.column.table.name)
        return None if parent is None else parent[key.column.name]
    if isinstance(column.type, UtcDateTime):
        return datetime.now(UTC)
    if isinstance(column.type, EnumColumn):
        return next(iter(column.type.enum.__members__.values()))
    if isinstance(column.type, Boolean):
        return False
    kind = column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type
    if isinstance(kind, JSON):
        return {}
    number = next(_numbers)
    return number if isinstance(kind, Integer) else f"x{number}"
