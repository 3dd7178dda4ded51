"""The time of day as an object, so that tests can set it."""

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """The source of the time of day for the service."""

    def now(self) -> datetime: ...


class SystemClock:
    """The clock of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def unix_seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def stopwatch() -> float:
    """Seconds on a monotonic clock, for measuring durations."""
    return time.perf_counter()
