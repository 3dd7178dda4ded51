"""How much one answer with messages holds, so that no page is too large for a process."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate

from chatapi.features.history.repository import HistoryRow

MOST_BYTES = 8 * 1024 * 1024
"""Of texts in one answer; a page ends where they would be more."""
ROWS_AT_ONCE = 250
"""Larger pages are read in slices, so that not much more is read than is shown."""

Measure = Callable[[Sequence[HistoryRow]], Awaitable[list[int]]]
"""How many bytes messages take in the answer."""


async def measure_texts(rows: Sequence[HistoryRow]) -> list[int]:
    """The sizes of messages that are shown without marks of what was searched."""
    return [max(size_of(row.content), size_of(row.rendered_content)) for row in rows]


def size_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def how_many_fit(sizes: Sequence[int], room: int) -> int:
    """Of messages in this order, how many come before there is no room left."""
    return sum(used <= room for used in accumulate(sizes))
