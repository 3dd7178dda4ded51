"""Two versions of a rendered text in one, with what went and what came marked; pure."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_PART = re.compile(r"<[^>]*>|&[^;\s]{1,10};|\w+|\s+|[^\w\s<&]|.", re.DOTALL)
_MOST_PARTS = 1_000
"""Comparing takes time that grows with the square of the length."""


def html_diff(old: str, new: str) -> str:
    """The new text; of the old one only words come in, so that its elements fit as they did."""
    before, after = _PART.findall(old), _PART.findall(new)
    if max(len(before), len(after)) > _MOST_PARTS:
        return "".join([*_marked(before, "deleted"), *_marked(after, "inserted")])
    return "".join(_compared(before, after))


def _compared(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for change, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if change == "equal":
            yield from after[new_start:new_end]
        else:
            yield from _marked(before[old_start:old_end], "deleted")
            yield from _marked(after[new_start:new_end], "inserted")


def _marked(parts: Sequence[str], kind: str) -> Iterator[str]:
    for part in parts:
        if not part.startswith("<"):
            yield f'<span class="highlight_text_{kind}">{part}</span>'
        elif kind == "inserted":
            yield part
