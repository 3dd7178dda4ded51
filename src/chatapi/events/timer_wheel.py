"""Ends waiting that takes too long, for many who wait with one timer."""

import asyncio
import math

from chatapi.events.feed import Waiter

_TICK_SECONDS = 0.1


class TimerWheel:
    """Those who have to be told in the same tenth of a second share a timer.

    One for each would cost a poll more, in time and in memory, than its waiting.
    """

    def __init__(self) -> None:
        self._due: dict[int, set[Waiter]] = {}

    def add(self, waiter: Waiter, deadline: float) -> set[Waiter]:
        """Give up on the waiter soon after the deadline, unless it leaves the returned set."""
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
