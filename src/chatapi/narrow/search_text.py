"""Parses search strings; text of users is never passed on as a query."""

import re

from msgspec import Struct

from chatapi.narrow.errors import BadNarrowError

_MAX_PIECES = 50
_MAX_WORDS = 200
_MAX_FRAGMENTS = 10
"""Each is searched for in the text itself, without an index."""
_MAX_WORD_LENGTH = 100
_PIECE = re.compile(r'"([^"]*)"|(\S+)')
_ASCII_MARK = re.compile(r"[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+")
_WITHOUT_BLANKS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Scripts that do not separate words, so that the full-text index cannot find them."""


class SearchText(Struct, frozen=True):
    """A parsed search: all of it must occur in the message, or all of it in its topic."""

    phrases: tuple[str, ...] = ()
    """Consecutive words, for the full-text index; of ASCII only letters, digits and blanks."""
    fragments: tuple[str, ...] = ()
    """Text the index does not cover: symbols, and scripts without blanks."""

    @classmethod
    def read(cls, text: str) -> "SearchText":
        """Read words, and phrases in quotes; an error only if it is empty or far too long."""
        pieces = [quoted or plain.strip('"') for quoted, plain in _PIECE.findall(text)]
        # Duplicates have no effect.
        pieces = list(dict.fromkeys(piece.strip() for piece in pieces if piece.strip()))
        if not pieces:
            raise BadNarrowError("the operand of search must not be empty")
        phrases = [phrase for piece in pieces if (phrase := _phrase(piece)) is not None]
        fragments = [piece for piece in pieces if _phrase(piece) is None]
        search = cls(tuple(phrases), tuple(fragments))
        search.check_size()
        return search

    def check_size(self) -> None:
        """Refuse more words than any real search needs."""
        if (
            len(self.phrases) > _MAX_PIECES
            or len(self.fragments) > _MAX_FRAGMENTS
            or sum(len(each.split()) for each in self.phrases) > _MAX_WORDS
        ):
            raise BadNarrowError("too many words to search for")

    def __add__(self, other: "SearchText") -> "SearchText":
        return SearchText(self.phrases + other.phrases, self.fragments + other.fragments)


def _phrase(piece: str) -> str | None:
    """Convert a piece to words of the index; None if it has none."""
    words = [word for word in _ASCII_MARK.sub(" ", piece).split() if any(map(str.isalnum, word))]
    if not words or _WITHOUT_BLANKS.search(piece):
        return None
    return None if max(map(len, words)) > _MAX_WORD_LENGTH else " ".join(words)
