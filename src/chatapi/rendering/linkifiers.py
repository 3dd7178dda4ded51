"""Finds text that a realm turns into links, such as #123.

Patterns are written by users. The engine (RE2) reads a text once, however a pattern is built, and
does not backtrack; what remains to be limited is the size of a pattern, and how often a text is
searched.
"""

import re
import time
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from typing_extensions import override

from chatapi.core.web_addresses import is_web_address
from chatapi.rendering.url_templates import UrlTemplate

# One step of the engine for one character takes up to 15 ns: one search in the longest message
# stays below 0.1 s. Typical patterns have some tens of steps.
_MAX_STEPS = 600
_MAX_BYTES_OF_MEMORY = 256 * 1024
"""Of one pattern; a realm has many."""

_MAX_LINKS = 500
"""In one text; later matches remain plain text."""
# No new search begins after this time. Patterns that are not meant to be slow need a fraction of
# it.
_SECONDS = 0.01
_SECONDS_PER_BYTE = 0.000_002

# Links are separate words, not parts of them. Each line is matched separately. `_AFTER` does not
# cover letters of other scripts: naming all of them would make every pattern large.
_BEFORE = r"""(?:^|[\s\x{85}\pZ'"(\[,:<])"""
_AFTER = r"(?:$|[^0-9A-Za-z])"
_LINK = 1
"""The group of the link text; the groups of the pattern come after it."""

_SINGLE_BYTE = re.compile(r"(?<!\\)(?:\\\\)*\\C")


class InvalidPatternError(ValueError):
    """The pattern is not valid, or too expensive to search for."""


class _Match(Protocol):
    def span(self, group: int) -> tuple[int, int]: ...
    def groupdict(self) -> dict[bytes, bytes | None]: ...


class _Regex(Protocol):
    programsize: int
    groupindex: dict[bytes, int]

    def search(self, text: bytes, pos: int) -> _Match | None: ...
    def fullmatch(self, text: bytes) -> _Match | None: ...


class FoundLink(NamedTuple):
    """A part of a text that is a link; offsets are in bytes of UTF-8."""

    start: int
    end: int
    text: str
    url: str


class Pattern:
    """A valid, compiled pattern."""

    def __init__(self, pattern: str) -> None:
        if _SINGLE_BYTE.search(pattern):
            raise InvalidPatternError(r"\C would cut characters up")
        self._text = pattern
        # Compile it alone first: with the text around it, an unbalanced bracket could look valid.
        self._alone = _compile(pattern)
        self._in_text = _compile(f"(?m){_BEFORE}({pattern}){_AFTER}")
        if self._in_text.programsize > _MAX_STEPS:
            raise InvalidPatternError("pattern too large")

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and self._text == other._text

    @override
    def __hash__(self) -> int:
        return hash(self._text)

    @override
    def __reduce__(self) -> tuple[Callable[[str], "Pattern"], tuple[str]]:
        """Copied to another process as text: objects of the engine cannot be copied."""
        return _pattern_of, (self._text,)

    @property
    def names(self) -> frozenset[str]:
        """The names of its groups."""
        return frozenset(name.decode() for name in self._alone.groupindex)

    def is_all_of(self, text: str) -> bool:
        return self._alone.fullmatch(text.encode()) is not None

    def search(self, text: bytes, place: int) -> _Match | None:
        """Returns the first separate match in a text from an offset on."""
        return self._in_text.search(text, place)


@lru_cache(maxsize=256)
def _pattern_of(text: str) -> Pattern:
    """Compiled once for many messages."""
    return Pattern(text)


class Linkifier(NamedTuple):
    """A pattern, and the template of the URL it links to."""

    pattern: Pattern
    template: UrlTemplate

    def find(self, text: bytes, has_time: Callable[[], bool]) -> Iterator[FoundLink]:
        place = 0
        while place <= len(text) and has_time():
            found = self.pattern.search(text, place)
            if found is None:
                return
            start, end = found.span(_LINK)
            place = max(end, start + 1)
            if start == end or _begins_with_letter(text[end : end + 4]):
                continue
            url = self.template.expand(_decoded(found.groupdict()))
            if is_web_address(url):
                yield FoundLink(start, end, text[start:end].decode(), url)


class Linkifiers:
    """The linkifiers of a realm; where two overlap, the first one wins."""

    def __init__(self, linkifiers: Sequence[Linkifier] = ()) -> None:
        self._linkifiers = tuple(linkifiers)

    def __bool__(self) -> bool:
        return bool(self._linkifiers)

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Linkifiers) and self._linkifiers == other._linkifiers

    @override
    def __hash__(self) -> int:
        return hash(self._linkifiers)

    def find(self, text: bytes) -> list[FoundLink]:
        """Returns the links in a text, in order; no link crosses the end of a line."""
        # CPU time of this thread: the load of other threads must not change how a message is
        # rendered.
        deadline = time.thread_time() + _SECONDS + _SECONDS_PER_BYTE * len(text)
        links: list[FoundLink] = []
        for linkifier in self._linkifiers:
            for link in linkifier.find(text, lambda: time.thread_time() < deadline):
                place = bisect(links, link)
                is_free = place == 0 or links[place - 1].end <= link.start
                if is_free and (place == len(links) or link.end <= links[place].start):
                    links.insert(place, link)
                if len(links) == _MAX_LINKS:
                    return links
        return links


NO_LINKIFIERS = Linkifiers()


def _compile(pattern: str) -> _Regex:
    # Only now: most realms have no patterns.
    import re2  # noqa: PLC0415

    options = re2.Options()
    options.max_mem = _MAX_BYTES_OF_MEMORY
    options.log_errors = False
    options.never_nl = True
    try:
        regex: _Regex = re2.compile(pattern.encode(), options)
    except re2.error as error:
        raise InvalidPatternError(error.args[0].decode()) from None
    return regex


def _begins_with_letter(text: bytes) -> bool:
    """Whether it begins with a letter or digit of any script."""
    return text.decode(errors="ignore")[:1].isalnum()


def _decoded(groups: dict[bytes, bytes | None]) -> dict[str, str | None]:
    return {
        name.decode(): None if value is None else value.decode() for name, value in groups.items()
    }
