"""Timeouts of things that are many, such as waiting polls and connections: they share timers."""

import asyncio
import math
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_TICK_SECONDS = 0.1

TimedT = TypeVar("TimedT", bound=Hashable)


class TimerWheel(Generic[TimedT]):
    """Things whose deadlines lie in the same tenth of a second share a timer.

    A timer for each would cost a poll more, in time and in memory, than its waiting.
    """

    def __init__(self, on_due: Callable[[TimedT], None]) -> None:
        self._on_due = on_due
        self._due: dict[int, set[TimedT]] = {}

    def add(self, timed: TimedT, deadline: float) -> set[TimedT]:
        """Call `on_due` soon after the deadline, unless it is removed from the result."""
        tick = math.ceil(deadline / _TICK_SECONDS)
        together = self._due.get(tick)
        if together is None:
            together = self._due[tick] = set()
            loop = asyncio.get_running_loop()
            loop.call_at(tick * _TICK_SECONDS, self._expire, tick)
        together.add(timed)
        return together

    def _expire(self, tick: int) -> None:
        together = self._due.pop(tick)
        # What is done about one of them may remove others.
        while together:
            self._on_due(together.pop())
