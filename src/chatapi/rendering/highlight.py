"""Highlights words in text and HTML; in HTML only the text is changed."""

import html
import re
import unicodedata
from collections.abc import Collection, Iterator
from html.parser import HTMLParser

from msgspec import Struct
from typing_extensions import override

_WORD = re.compile(r"[^\W_]+")


class Marks(Struct, frozen=True):
    """What to highlight: whole words, and fragments anywhere."""

    words: frozenset[str] = frozenset()
    fragments: tuple[str, ...] = ()

    @classmethod
    def of(cls, texts: Collection[str], fragments: Collection[str]) -> "Marks":
        words = {fold(word) for text in texts for word in _WORD.findall(text)}
        return cls(frozenset(words), tuple(fragments))


def highlight_text(text: str, marks: Marks) -> str:
    """Returns the text as HTML, with matches in a `span` of the class `highlight`."""
    shown: list[str] = []
    end = 0
    for start, stop in _spans(text, marks):
        marked = html.escape(text[start:stop], quote=False)
        shown += (
            html.escape(text[end:start], quote=False),
            f'<span class="highlight">{marked}</span>',
        )
        end = stop
    return "".join((*shown, html.escape(text[end:], quote=False)))


def highlight_html(source: str, marks: Marks) -> str:
    """Highlights matches in the text of HTML; tags and attributes are unchanged."""
    highlighter = _Highlighter(marks)
    highlighter.feed(source)
    highlighter.close()
    return "".join(highlighter.shown)


def fold(word: str) -> str:
    """The form in which words are compared: without case and accents."""
    if word.isascii():
        return word.lower()
    letters = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _spans(text: str, marks: Marks) -> list[tuple[int, int]]:
    """The ranges of matches, in order and without overlaps."""
    found = [word.span() for word in _WORD.finditer(text) if fold(word[0]) in marks.words]
    if marks.fragments:
        lowered = _lower(text)
        for fragment in marks.fragments:
            found += _places(_lower(fragment), lowered)
    joined: list[tuple[int, int]] = []
    for start, stop in sorted(found):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    return joined


def _places(fragment: str, text: str) -> Iterator[tuple[int, int]]:
    """The ranges of a fragment; unlike a regular expression, this takes linear time."""
    start = text.find(fragment)
    while start >= 0:
        end = start + len(fragment)
        yield start, end
        start = text.find(fragment, end)


def _lower(text: str) -> str:
    """The text in lower case, with every letter at the same index."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)


class _Highlighter(HTMLParser):
    """Copies HTML, with highlights in its text."""

    def __init__(self, marks: Marks) -> None:
        # Character references stay as they are written; no search word contains one.
        super().__init__(convert_charrefs=False)
        self.shown: list[str] = []
        self._marks = marks

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shown.append(self.get_starttag_text() or "")

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.shown.append(self.get_starttag_text() or "")

    @override
    def handle_endtag(self, tag: str) -> None:
        self.shown.append(f"</{tag}>")

    @override
    def handle_data(self, data: str) -> None:
        self.shown.append(highlight_text(data, self._marks))

    @override
    def handle_entityref(self, name: str) -> None:
        self.shown.append(f"&{name};")

    @override
    def handle_charref(self, name: str) -> None:
        self.shown.append(f"&#{name};")
