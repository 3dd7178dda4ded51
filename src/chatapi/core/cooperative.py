"""Long computations on the event loop, in steps that let other requests run."""

import asyncio
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

_STEP_SECONDS = 0.005


async def yield_to_event_loop() -> None:
    """Yield to the event loop; use it between computations of tens of milliseconds."""
    await asyncio.sleep(0)


class LoopBudget:
    """How long a computation may run before it yields to other requests."""

    def __init__(self) -> None:
        self.deadline = perf_counter() + _STEP_SECONDS

    async def renew(self) -> None:
        """Let other requests run; call it when `perf_counter()` has reached the deadline.

        Compare before calling: a comparison per item costs far less than a coroutine.
        """
        await yield_to_event_loop()
        self.deadline = perf_counter() + _STEP_SECONDS


async def map_in_steps(convert: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Convert all items, letting other requests run every few milliseconds.

    Use it for work of some microseconds per item whose number a client can choose.
    """
    converted: list[R] = []
    budget = LoopBudget()
    for item in items:
        if perf_counter() >= budget.deadline:
            await budget.renew()
        converted.append(convert(item))
    return converted
