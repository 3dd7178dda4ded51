"""Long computations on the event loop, in steps that leave others their turn."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_STEP_SECONDS = 0.005


async def let_others_run() -> None:
    """End a step of the event loop; use it between computations of tens of milliseconds."""
    await asyncio.sleep(0)


async def map_in_steps(convert: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """Convert all items, letting other requests run every few milliseconds.

    Use it for work of some microseconds per item whose number a client can choose.
    """
    converted: list[R] = []
    until = time.perf_counter() + _STEP_SECONDS
    for item in items:
        if time.perf_counter() >= until:
            await let_others_run()
            until = time.perf_counter() + _STEP_SECONDS
        converted.append(convert(item))
    return converted
