"""Time as an object, so that tests can move it."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Where the service reads the time of day."""

    def now(self) -> datetime: ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def unix_seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def stopwatch() -> float:
    """Seconds on a clock that never goes back, for measuring durations."""
    return time.perf_counter()
