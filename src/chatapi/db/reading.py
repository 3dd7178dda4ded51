"""Reads many rows in steps: each row costs some microseconds of the event loop."""

from collections.abc import Callable
from time import perf_counter
from typing import Any, TypeVar

from sqlalchemy import CursorResult, Row

from chatapi.core.cooperative import LoopBudget

R = TypeVar("R")

_ROWS_AT_ONCE = 200


async def read_in_steps(rows: CursorResult[Any], read: Callable[[Row[Any]], R]) -> list[R]:
    """Read all rows of a result, letting other requests run every few milliseconds.

    Use it where there may be thousands of rows: as many as a realm has users, files or messages.
    """
    found: list[R] = []
    budget = LoopBudget()
    for some in rows.partitions(_ROWS_AT_ONCE):
        found += [read(row) for row in some]
        if perf_counter() >= budget.deadline:
            await budget.renew()
    return found
