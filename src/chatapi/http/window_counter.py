"""In-process counters of the current minute, for rate limits."""

from collections.abc import Callable
from typing import NamedTuple

from chatapi.core.clock import stopwatch

WINDOW_SECONDS = 60.0

Key = tuple[str, ...]


class Window(NamedTuple):
    """The count of a window, and the time until it ends."""

    hits: int
    seconds_left: float


class WindowCounter:
    """Counts per key; a window begins with the first hit and lasts a minute.

    Uses a monotonic clock: when the time of day is set back, no client has to wait until it has
    caught up.
    """

    def __init__(self, now: Callable[[], float] = stopwatch) -> None:
        self._now = now
        self._windows: dict[Key, tuple[int, float]] = {}
        self._next_cleaning = now() + WINDOW_SECONDS

    def hit(self, key: Key) -> Window:
        """Increment the count of a key and return its window."""
        now = self._now()
        if now >= self._next_cleaning:
            self._forget_ended(now)
        count, ends_at = self._windows.get(key, (0, 0.0))
        if count == 0 or now >= ends_at:
            count, ends_at = 0, now + WINDOW_SECONDS
        self._windows[key] = count + 1, ends_at
        return Window(count + 1, ends_at - now)

    def __len__(self) -> int:
        """The number of keys in memory."""
        return len(self._windows)

    def _forget_ended(self, now: float) -> None:
        self._next_cleaning = now + WINDOW_SECONDS
        self._windows = {key: kept for key, kept in self._windows.items() if kept[1] > now}
