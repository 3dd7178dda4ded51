"""Timeouts of things that are many, such as waiting polls and connections: they share timers."""

import asyncio
import math
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_TICKS = 100
_SHORTEST_TICK_SECONDS = 0.05

TimedT = TypeVar("TimedT", bound=Hashable)


class TimerWheel(Generic[TimedT]):
    """Things whose deadlines lie in the same hundredth of the usual time share a timer.

    A timer for each would cost a poll more, in time and in memory, than its waiting.
    """

    def __init__(self, on_due: Callable[[TimedT], None], usual_seconds: float) -> None:
        self._on_due = on_due
        self._tick_seconds = max(usual_seconds / _TICKS, _SHORTEST_TICK_SECONDS)
        self._due: dict[int, set[TimedT]] = {}

    def add(self, timed: TimedT, deadline: float) -> set[TimedT]:
        """Call `on_due` soon after the deadline, unless it is removed from the result."""
        tick = math.ceil(deadline / self._tick_seconds)
        together = self._due.get(tick)
        if together is None:
            together = self._due[tick] = set()
            loop = asyncio.get_running_loop()
            loop.call_at(tick * self._tick_seconds, self._expire, tick)
        together.add(timed)
        return together

    def _expire(self, tick: int) -> None:
        together = self._due.pop(tick)
        # What is done about one of them may remove others.
        while together:
            self._on_due(together.pop())
