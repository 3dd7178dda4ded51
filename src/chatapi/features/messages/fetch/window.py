"""Reads the messages around an anchor."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from chatapi.core.ids import EventNumber
from chatapi.features.messages.fetch.anchors import AFTER_ALL, BEFORE_ALL
from chatapi.features.messages.fetch.page_size import (
    MAX_BYTES,
    ROWS_AT_ONCE,
    Measure,
    how_many_fit,
    measure_nothing,
)
from chatapi.features.messages.repository import PageRepository, PageRow
from chatapi.narrow import Narrow


class WindowRequest(Struct, frozen=True):
    """How many messages to read around which anchor."""

    anchor: int
    num_before: int
    num_after: int
    include_anchor: bool

    @property
    def bytes_per_side(self) -> int:
        return MAX_BYTES // 2 if self.num_before and self.num_after else MAX_BYTES


class Window(Struct, frozen=True):
    """The messages found, the oldest first, and whether there are more."""

    anchor: int
    rows: list[PageRow]
    found_anchor: bool
    found_oldest: bool
    found_newest: bool
    as_of: EventNumber | None
    """The realm's last event when the rows were read; None if that is not the same for all."""


class _Side(Struct, frozen=True):
    """The messages read on one side of an anchor, the nearest first."""

    rows: list[PageRow]
    is_cut: bool = False
    """Whether it ends early, since more would be too large for one response."""


async def read_window(
    repository: PageRepository,
    narrow: Narrow,
    wanted: WindowRequest,
    measure: Measure = measure_nothing,
) -> Window:
    """One statement for each requested side, or one for each slice of many messages.

    A side ends early where its texts would be too large for one response; it keeps the messages
    nearest to the anchor, and at least one.
    """
    anchor = wanted.anchor
    before = after = _Side([])

    async def read_older(start: int, limit: int) -> list[PageRow]:
        return (await repository.list_up_to(narrow, start, limit))[::-1]

    async def read_newer(start: int, limit: int) -> list[PageRow]:
        return await repository.list_from(narrow, start, limit)

    room = wanted.bytes_per_side
    sides: list[_Side] = []
    if wanted.num_before and anchor > BEFORE_ALL:
        before = await _read_side(read_older, anchor, -1, wanted.num_before + 1, (room, measure))
        sides.append(before)
    if wanted.num_after and anchor < AFTER_ALL:
        after = await _read_side(read_newer, anchor, 1, wanted.num_after + 1, (room, measure))
        sides.append(after)
    if not wanted.num_before and not wanted.num_after:
        after = await _read_side(read_newer, anchor, 1, 1, (room, measure))
        sides.append(after)
    at_anchor = [row for row in (*before.rows[:1], *after.rows[:1]) if row.id == anchor][:1]
    older = [row for row in before.rows if row.id < anchor][: wanted.num_before]
    newer = [row for row in after.rows if row.id > anchor][: wanted.num_after]
    return Window(
        anchor=anchor,
        rows=[*older[::-1], *(at_anchor if wanted.include_anchor else ()), *newer],
        found_anchor=bool(at_anchor) and wanted.include_anchor,
        found_oldest=anchor == BEFORE_ALL or (len(older) < wanted.num_before and not before.is_cut),
        found_newest=anchor == AFTER_ALL or (len(newer) < wanted.num_after and not after.is_cut),
        as_of=_common_event(sides),
    )


def _common_event(sides: Sequence[_Side]) -> EventNumber | None:
    """The event as of which all rows of the sides are; a side without any does not tell."""
    events = {row.as_of for side in sides for row in side.rows}
    return events.pop() if len(events) == 1 and all(side.rows for side in sides) else None


async def _read_side(
    read: Callable[[int, int], Awaitable[list[PageRow]]],
    anchor: int,
    direction: int,
    limit: int,
    bound: tuple[int, Measure],
) -> _Side:
    """Read away from the anchor until there are enough messages, no more, or no room."""
    room, measure = bound
    kept: list[PageRow] = []
    start = anchor
    while True:
        wanted = min(limit - len(kept), ROWS_AT_ONCE)
        rows = await read(start, wanted)
        sizes = await measure(rows)
        fitting = how_many_fit(sizes, room)
        room -= sum(sizes[:fitting])
        # Never return an empty page: a client that pages on must make progress.
        is_first = not any(row.id != anchor for row in kept)
        kept += rows[: max(fitting, _least(rows, anchor) if is_first else 0)]
        if fitting < len(rows):
            return _Side(kept, is_cut=True)
        if len(rows) < wanted or len(kept) >= limit:
            return _Side(kept)
        start = rows[-1].id + direction


def _least(rows: list[PageRow], anchor: int) -> int:
    """The message at the anchor does not count: the client may have it already."""
    return 2 if rows and rows[0].id == anchor else 1
