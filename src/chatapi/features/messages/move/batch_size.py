"""How many messages one transaction moves, so that other writers do not wait for long; pure."""

FEWEST = 20
"""Below it, most of the time is spent on what does not depend on the number of messages."""
_GOAL_SECONDS = 0.025
_MOST_GROWTH = 1.5
_LEAST_SHARE = 0.25
_EXCEPTIONS_AT_ONCE = 2_000
"""Messages times readers whose read state is stored one by one."""


def next_batch_size(moved: int, seconds: float, most: int) -> int:
    """The size of the next batch, after one that held the lock for some time.

    A part of that time does not depend on the number of messages. So a size in proportion to the
    time comes closer to the goal with each batch, from both sides.
    """
    change = min(max(_GOAL_SECONDS / max(seconds, 0.001), _LEAST_SHARE), _MOST_GROWTH)
    return min(max(int(moved * change), FEWEST), most)


def limit_exceptions(size: int, readers: int) -> int:
    """A smaller size if the read state of many readers is stored with each message."""
    return size if readers == 0 else max(1, min(size, _EXCEPTIONS_AT_ONCE // readers))
