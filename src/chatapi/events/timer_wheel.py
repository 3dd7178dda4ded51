"""Timeouts of waiting polls, many of which share one timer."""

import asyncio
import math

from chatapi.events.feed import Waiter

_TICK_SECONDS = 0.1


class TimerWheel:
    """Waiters whose deadlines lie in the same tenth of a second share a timer.

    A timer for each would cost a poll more, in time and in memory, than its waiting.
    """

    def __init__(self) -> None:
        self._due: dict[int, set[Waiter]] = {}

    def add(self, waiter: Waiter, deadline: float) -> set[Waiter]:
        """Time the waiter out soon after the deadline, unless it is removed from the result."""
        tick = math.ceil(deadline / _TICK_SECONDS)
        waiters = self._due.get(tick)
        if waiters is None:
            waiters = self._due[tick] = set()
            loop = asyncio.get_running_loop()
            loop.call_at(tick * _TICK_SECONDS, self._expire, tick)
        waiters.add(waiter)
        return waiters

    def _expire(self, tick: int) -> None:
        for waiter in self._due.pop(tick):
            waiter.give_up()
