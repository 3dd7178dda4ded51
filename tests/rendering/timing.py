"""Time limits of rendering, for any text."""

import time
from collections.abc import Callable
from typing import TypeVar

from tests.support.machine_speed import slowdown

T = TypeVar("T")

LIMIT_SECONDS = 0.3
_TRIES = 10


def assert_done_in_time(work: Callable[[], T], limit: float = LIMIT_SECONDS) -> T:
    """Run the work, assert that it ends in time, and return its result.

    A busy machine may be slow for a while, and so may a process that collects the garbage of
    other tests; a slow parser is slow each time.
    """
    for _ in range(_TRIES):
        # Of this thread: what else the machine does meanwhile says nothing about the parser.
        started = time.thread_time()
        result = work()
        seconds = time.thread_time() - started
        if seconds < limit or seconds < limit * slowdown():
            return result
    raise AssertionError(f"{work} takes longer than {limit} seconds")
