"""A fake clock that only advances when a test advances it."""

from datetime import UTC, datetime, timedelta


class MovableClock:
    """Starts at a fixed moment, so that failures can be repeated."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, **duration: float) -> None:
        """Move on by days, hours, minutes or seconds."""
        self._now += timedelta(**duration)
