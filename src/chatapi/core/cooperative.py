"""Long computations on the event loop, in steps that let other requests run."""

import asyncio
import time
from collections.abc import Callable, Iterable
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
        self._until = time.perf_counter() + _STEP_SECONDS

    @property
    def is_spent(self) -> bool:
        return time.perf_counter() >= self._until

    async def renew(self) -> None:
        """Let other requests run; call it when the budget is spent.

        Checking `is_spent` first costs a tenth of a coroutine, which matters once per item.
        """
        await yield_to_event_loop()
        self._until = time.perf_counter() + _STEP_SECONDS


async def map_in_steps(convert: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Convert all items, letting other requests run every few milliseconds.

    Use it for work of some microseconds per item whose number a client can choose.
    """
    converted: list[R] = []
    budget = LoopBudget()
    for item in items:
        if budget.is_spent:
            await budget.renew()
        converted.append(convert(item))
    return converted
