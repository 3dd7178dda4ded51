"""How fast this machine is at the moment, for limits of CPU time.

Cores that are shared with other processes or other virtual machines take several times as long for
the same work, and the CPU time that the system reports grows with it.
"""

import statistics
import time

_ORDINARY_SECONDS = 0.008
"""What an ordinary core, which does nothing else, needs for the reference work."""
_RUNS = 3


def slowdown() -> float:
    """How many times longer than an ordinary core this thread takes right now; at least 1."""
    return max(1.0, statistics.median(_measure() for _ in range(_RUNS)) / _ORDINARY_SECONDS)


def _measure() -> float:
    started = time.thread_time()
    counts: dict[str, int] = {}
    for number in range(20_000):
        counts[str(number)] = counts.get(str(number // 2), 0) + 1
    return time.thread_time() - started
