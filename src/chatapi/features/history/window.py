"""The messages around an anchor."""

from dataclasses import dataclass

from chatapi.features.history.anchors import AFTER_ALL, BEFORE_ALL
from chatapi.features.history.repository import HistoryRepository, HistoryRow
from chatapi.narrow import Narrow


@dataclass(frozen=True)
class Wanted:
    """How much to read around which place."""

    anchor: int
    num_before: int
    num_after: int
    include_anchor: bool


@dataclass(frozen=True)
class Window:
    """What was found, the oldest first, and whether there is more."""

    rows: list[HistoryRow]
    found_anchor: bool
    found_oldest: bool
    found_newest: bool


async def read_window(repository: HistoryRepository, narrow: Narrow, wanted: Wanted) -> Window:
    """One statement for each side that is wanted."""
    anchor = wanted.anchor
    before: list[HistoryRow] = []
    after: list[HistoryRow] = []
    if wanted.num_before and anchor > BEFORE_ALL:
        before = await repository.list_up_to(narrow, anchor, wanted.num_before + 1)
    if wanted.num_after and anchor < AFTER_ALL:
        after = await repository.list_from(narrow, anchor, wanted.num_after + 1)
    if not wanted.num_before and not wanted.num_after:
        after = [row for row in await repository.list_from(narrow, anchor, 1) if row.id == anchor]
    at_anchor = [row for row in (*before[-1:], *after[:1]) if row.id == anchor][:1]
    older = [row for row in before if row.id < anchor][-wanted.num_before :]
    newer = [row for row in after if row.id > anchor][: wanted.num_after]
    return Window(
        rows=[*older, *(at_anchor if wanted.include_anchor else ()), *newer],
        found_anchor=bool(at_anchor) and wanted.include_anchor,
        found_oldest=anchor == BEFORE_ALL or len(older) < wanted.num_before,
        found_newest=anchor == AFTER_ALL or len(newer) < wanted.num_after,
    )
