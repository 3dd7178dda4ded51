"""Limits the size of one response with messages, so that no page is too large for a process."""

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate

from chatapi.features.messages.repository import (
    MAX_PLACE_ROWS,
    PageRow,
    SubmessageUsage,
    TextRow,
)

MAX_BYTES = 8 * 1024 * 1024
"""Limit of the texts in one response; a page ends where they would exceed it."""
MAX_BYTES_WITHOUT_TURN = 1024 * 1024
"""Limit of the texts in a page read without a heavy-read slot; ordinary pages take a fifth."""
_BYTES_AROUND_SUBMESSAGE = 100
"""Its ids, its type and the names of its fields."""
BYTES_OF_REACTION = 120
"""With the names of its fields."""
MAX_REACTIONS_WITHOUT_TURN = MAX_BYTES_WITHOUT_TURN // BYTES_OF_REACTION
ROWS_AT_ONCE = MAX_PLACE_ROWS
"""Larger pages are read in slices, so that not much more is read than is returned."""

Measure = Callable[[Sequence[PageRow]], Awaitable[list[int]]]
"""Returns how many bytes messages take in the response."""


class LargePageError(Exception):
    """The page is larger than may be read without a heavy-read slot."""


def up_to(most: int, measure: Measure) -> Measure:
    """Measures messages until they exceed `most` bytes, then raises."""
    total = 0

    async def measured(rows: Sequence[PageRow]) -> list[int]:
        nonlocal total
        sizes = await measure(rows)
        total += sum(sizes)
        if total > most:
            raise LargePageError
        return sizes

    return measured


def both(first: Measure, second: Measure) -> Measure:
    """Measures messages in two ways, and adds the results."""

    async def measured(rows: Sequence[PageRow]) -> list[int]:
        return [
            one + other for one, other in zip(await first(rows), await second(rows), strict=True)
        ]

    return measured


def size_of_submessages(usage: SubmessageUsage) -> int:
    return usage.characters + usage.count * _BYTES_AROUND_SUBMESSAGE


async def measure_nothing(rows: Sequence[PageRow]) -> list[int]:
    """For pages of which no text is read."""
    return [0] * len(rows)


def size_of_texts(row: TextRow) -> int:
    """The size of the longer of source text and HTML; a response has one of them."""
    text, html = row.content, row.rendered_content
    return size_of(html if len(html) >= len(text) else text)


def size_of(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def how_many_fit(sizes: Sequence[int], room: int) -> int:
    """Of messages in this order, how many come before there is no room left."""
    return bisect_right(list(accumulate(sizes)), room)
