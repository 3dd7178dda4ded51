"""Reading many rows: each costs some microseconds of the event loop, and there may be thousands."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import CursorResult, Row

from chatapi.core.loop_budget import let_others_run

R = TypeVar("R")

_ROWS_AT_ONCE = 200
_STEP_SECONDS = 0.005


async def read_in_steps(rows: CursorResult[Any], read: Callable[[Row[Any]], R]) -> list[R]:
    """Read all rows of a result, letting other requests run every few milliseconds.

    Use it where there are as many rows as an organization has people, files or messages.
    """
    found: list[R] = []
    until = time.perf_counter() + _STEP_SECONDS
    for some in rows.partitions(_ROWS_AT_ONCE):
        found += [read(row) for row in some]
        if time.perf_counter() >= until:
            await let_others_run()
            until = time.perf_counter() + _STEP_SECONDS
    return found
