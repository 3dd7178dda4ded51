"""How many messages one transaction moves, so that other writers do not wait for long; pure."""

_TARGET_SECONDS = 0.03
_GROWTH = 1.2
_LEAST_SHARE = 0.5
_FEWEST = 100
"""Below it, most of the time is spent on what does not depend on the number of messages."""


class BatchSize:
    """Adapts to how long transactions took: readers, indexes and machines differ."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._fewest = min(_FEWEST, most)
        self.current = most

    def adapt(self, seconds: float) -> None:
        """Learn from a batch that held the lock for some time."""
        if seconds > _TARGET_SECONDS:
            size = self.current * max(_LEAST_SHARE, _TARGET_SECONDS / seconds)
        else:
            size = self.current * _GROWTH
        self.current = max(self._fewest, min(self._most, int(size)))
