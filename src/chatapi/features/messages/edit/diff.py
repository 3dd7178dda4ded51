"""Merges two versions of a rendered text, with deletions and insertions marked; pure.

The time grows linearly with the length of the texts, whatever they contain: words that occur
exactly once in both texts are aligned first, and the parts between two such words are compared in
the same way, a few times.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

_PART = re.compile(r"<[^>]*>|&[^;\s]{1,10};|\w+|\s+|[^\w\s<&]|.", re.DOTALL)
_MAX_ROUNDS = 4
"""Each round reads every part of both texts at most once."""

_Range = tuple[int, int]


def html_diff(old: str, new: str) -> str:
    """The new text; of the old one only words are inserted, so elements stay balanced."""
    before, after = _PART.findall(old), _PART.findall(new)
    shown: list[str] = []
    end_old = end_new = 0
    matches = _matching_parts(before, after)
    for place_old, place_new in (*matches, (len(before), len(after))):
        shown += _marked(before[end_old:place_old], "deleted")
        shown += _marked(after[end_new:place_new], "inserted")
        shown += after[place_new : place_new + 1]
        end_old, end_new = place_old + 1, place_new + 1
    return "".join(shown)


def _matching_parts(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of positions with the same part, ascending in both texts."""
    found: list[tuple[int, int]] = []
    gaps: list[tuple[_Range, _Range]] = [((0, len(before)), (0, len(after)))]
    for _ in range(_MAX_ROUNDS):
        smaller: list[tuple[_Range, _Range]] = []
        for old, new in gaps:
            (old_start, old_end), (new_start, new_end) = old, new
            while old_start < old_end and new_start < new_end:
                if before[old_start] != after[new_start]:
                    break
                found.append((old_start, new_start))
                old_start, new_start = old_start + 1, new_start + 1
            while old_start < old_end and new_start < new_end:
                if before[old_end - 1] != after[new_end - 1]:
                    break
                old_end, new_end = old_end - 1, new_end - 1
                found.append((old_end, new_end))
            anchors = _anchors(before[old_start:old_end], after[new_start:new_end])
            places = [(old_start + one, new_start + other) for one, other in anchors]
            found += places
            if places:
                bounds = [(old_start - 1, new_start - 1), *places, (old_end, new_end)]
                smaller += (
                    ((one[0] + 1, other[0]), (one[1] + 1, other[1]))
                    for one, other in pairwise(bounds)
                )
        gaps = smaller
    return sorted(found)


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """The longest ascending sequence of pairs of parts that occur exactly once in each text."""
    once = {part for part, count in Counter(before).items() if count == 1}
    once &= {part for part, count in Counter(after).items() if count == 1}
    if not once:
        return []
    place_in_after = {part: place for place, part in enumerate(after) if part in once}
    pairs = [(place, place_in_after[part]) for place, part in enumerate(before) if part in once]
    # For each length, the sequence that ends earliest; found by binary search.
    ends: list[int] = []
    last: list[int] = []
    previous: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        previous.append(last[length - 1] if length else None)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
    run: list[tuple[int, int]] = []
    step: int | None = last[-1]
    while step is not None:
        run.append(pairs[step])
        step = previous[step]
    return run[::-1]


def _marked(parts: Sequence[str], kind: str) -> Iterator[str]:
    """Texts between elements, each in a mark of its own; removed elements are left out."""
    for is_element, group in groupby(parts, key=lambda part: part.startswith("<")):
        text = "".join(group)
        if not is_element:
            yield f'<span class="highlight_text_{kind}">{text}</span>'
        elif kind == "inserted":
            yield text
