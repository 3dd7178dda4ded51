"""Rows that a test begins with, of which there are more than it should send requests for."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import insert

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
