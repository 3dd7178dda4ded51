"""The order in which the writers of one process write in a realm."""

import asyncio
from collections import deque
from collections.abc import Callable

from chatapi.core.clock import stopwatch

_MAX_WINDOW_SECONDS = 0.1


class WriterTurn:
    """A lock whose waiters are single requests and batches, which share its time.

    Each kind is served in the order of arrival, and they alternate when both wait. A batch carries
    the writes of many requests: in one queue, each of them would wait for every single request
    before it. After a request for which batches had to wait, they have a window, as long as that
    request held the lock: the next single request waits until its end, even if no batch does at
    the moment. Those who wait for batches submit their next writes in the window. Without it, a few
    users whose requests hold the lock for long would have it nearly all the time.
    """

    def __init__(self, now: Callable[[], float] = stopwatch) -> None:
        self._now = now
        self._is_held = False
        self._is_batch = False
        """Whether the turn is, or was last, that of a batch."""
        self._held_since = 0.0
        self._window_end = 0.0
        """Until then only batches get the turn."""
        self._timer: asyncio.TimerHandle | None = None
        """Ends the window, if a request waits for that."""
        self._requests: deque[asyncio.Future[None]] = deque()
        self._batches: deque[asyncio.Future[None]] = deque()

    def locked(self) -> bool:
        return self._is_held

    @property
    def waiting(self) -> int:
        """How many requests and batches wait for their turn."""
        return sum(not turn.done() for turn in (*self._requests, *self._batches))

    async def acquire(self, *, is_batch: bool = False) -> None:
        """Wait for the turn; `release` passes it on."""
        if not self._is_held and (is_batch or self._now() >= self._window_end):
            self._begin(is_batch=is_batch)
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        (self._batches if is_batch else self._requests).append(turn)
        if not self._is_held:
            self._pass_on()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                # The turn came in the same moment: the next waiter gets it.
                self.release()
            raise

    def release(self) -> None:
        """End the turn, and give it to the next waiter."""
        now = self._now()
        if not self._is_batch and _next(self._batches) is not None:
            self._window_end = now + min(now - self._held_since, _MAX_WINDOW_SECONDS)
        self._is_held = False
        self._pass_on()

    def _begin(self, *, is_batch: bool) -> None:
        self._is_held = True
        self._is_batch = is_batch
        self._held_since = self._now()

    def _pass_on(self) -> None:
        """Give the turn to the next waiter; to the next request not before the window's end."""
        request, batch = _next(self._requests), _next(self._batches)
        left = self._window_end - self._now()
        if batch is not None and (request is None or left > 0 or not self._is_batch):
            self._begin(is_batch=True)
            self._batches.popleft().set_result(None)
        elif request is not None and left <= 0:
            self._begin(is_batch=False)
            self._requests.popleft().set_result(None)
        elif request is not None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(left, self._end_window)

    def _end_window(self) -> None:
        self._timer = None
        if not self._is_held:
            self._pass_on()


def _next(turns: deque[asyncio.Future[None]]) -> asyncio.Future[None] | None:
    """Return the first of those that still wait."""
    while turns and turns[0].done():
        del turns[0]
    return turns[0] if turns else None
