"""Rows that a test begins with, of which there are more than it should send requests for."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import insert, select

from chatapi.auth.runtime import Runtime
from chatapi.db.base import Base
from chatapi.db.session import DatabaseSession


async def add_rows(
    runtime: Runtime, table: type[Base], rows: Sequence[Mapping[str, Any]], **same: Any
) -> None:
    """Insert rows, with the values that are the same in all of them, in one transaction."""
    async with DatabaseSession(runtime.database) as db:
        await db.write()
        await db.execute(insert(table), [{**row, **same} for row in rows])
        await db.commit()


async def copy_only_row(runtime: Runtime, table: type[Base], copies: int) -> None:
    """Copy the one row that a request has made, with other ids."""
    async with runtime.reading() as db:
        row = (await db.execute(select(*table.__table__.columns))).mappings().one()
    copied = {name: value for name, value in row.items() if name != "id"}
    await add_rows(runtime, table, [copied] * copies)
