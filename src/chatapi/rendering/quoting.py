"""Texts as quotes in Markdown."""

import re

_FENCES = re.compile(r"`{3,}|~{3,}")
_MIN_FENCE_LENGTH = 4


def quoted(text: str) -> str:
    """A text as a quote, which mentions no user, whatever code fences the text contains."""
    longest = max((len(run) for run in _FENCES.findall(text)), default=0)
    fence = "`" * max(_MIN_FENCE_LENGTH, longest + 1)
    return f"{fence}quote\n{text}\n{fence}"
