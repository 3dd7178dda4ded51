"""What the service measures while it works; without metrics, nothing is recorded."""


class Measurements:
    """Called where something happens that operators watch. Does nothing itself: see `metrics`."""

    def request_ended(self, method: str, route: str, status: int, seconds: float) -> None:
        """A response was sent; `route` is the declared path, not the one the client sent."""

    def batch_committed(self, size: int) -> None:
        """So many writes were committed in one transaction."""

    def poll_woken(self, seconds: float) -> None:
        """A waiting poll went on, so long after its process had the event."""

    def job_ended(self, name: str, *, has_failed: bool) -> None:
        """A periodic job ended."""
