"""Names of Unicode emoji, and the codes that clients use for them.

Existing clients have names of their own; where a name has another meaning elsewhere, theirs takes
precedence. Names that clients used earlier, and those of the Unicode standard and of GitHub, are
understood as well. The tables are large, so each is loaded on demand.
"""

import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

_TABLE = Path(__file__).with_suffix(".txt")
VARIATION_SELECTOR = "\ufe0f"
"""Makes an emoji of a character that is otherwise shown as text."""
_NOT_IN_NAMES = re.compile(r"[^a-z0-9_+-]+")


class _Row(NamedTuple):
    emoji: str
    """With the variation selectors that make its characters emoji."""
    code: str
    names: list[str]
    """The first one is canonical."""
    former_names: list[str]


def emoji_names_by_code() -> Mapping[str, Sequence[str]]:
    """Today's names of every emoji by its code, the canonical name first, as clients list them."""
    return {row.code: row.names for row in _rows()}


def canonical_names_by_emoji() -> Mapping[str, str]:
    """Today's first name of every emoji by its characters, with all variation selectors."""
    return {row.emoji: row.names[0] for row in _rows()}


def unicode_emoji_code(name: str) -> str | None:
    """The code points of an emoji in hexadecimal, joined by dashes: `1f44d` for `thumbs_up`."""
    return _client_codes().get(name) or _standard_codes().get(name)


def is_unicode_emoji(name: str, code: str) -> bool:
    """Whether a client may mean this emoji by this name, today or earlier."""
    return (
        _client_codes().get(name) == code
        or code in _former_codes().get(name, ())
        or _standard_codes().get(name) == code
    )


def is_unicode_emoji_code(code: str) -> bool:
    """Whether an emoji has this code, under any name."""
    return code in _all_codes()


@functools.cache
def _all_codes() -> frozenset[str]:
    return frozenset(row.code for row in _rows()).union(_standard_codes().values())


@functools.cache
def _client_codes() -> dict[str, str]:
    """Codes by name: a name that has another meaning today is not read as it was earlier."""
    former = {name: codes[0] for name, codes in _former_codes().items()}
    return former | {name: row.code for row in _rows() for name in row.names}


@functools.cache
def _former_codes() -> dict[str, list[str]]:
    codes = defaultdict[str, list[str]](list)
    for row in _rows():
        for name in row.former_names:
            codes[name].append(row.code)
    return dict(codes)


@functools.cache
def _rows() -> list[_Row]:
    return list(_read_rows(_TABLE.read_text(encoding="utf-8")))


def _read_rows(table: str) -> Iterator[_Row]:
    for line in table.splitlines():
        if not line.startswith("#"):
            today, _, former = line.partition("|")
            points, *names = today.split()
            emoji = "".join(chr(int(point, 16)) for point in points.split("-"))
            yield _Row(emoji, emoji_code(emoji), names, former.split())


@functools.cache
def _standard_codes() -> dict[str, str]:
    from emoji import EMOJI_DATA, STATUS  # noqa: PLC0415 (see above)

    codes: dict[str, str] = {}
    for emoji, names in EMOJI_DATA.items():
        if names["status"] <= STATUS["fully_qualified"]:
            for name in (names["en"], *names.get("alias", ())):
                codes.setdefault(_plain(name), emoji_code(emoji))
    return codes


def _plain(name: str) -> str:
    """The name in a form that can be typed, for names such as `:A_button_(blood_type):`."""
    without_accents = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _NOT_IN_NAMES.sub("", without_accents.lower().replace("&", "and"))


def emoji_code(emoji: str) -> str:
    """The code of an emoji that was typed as characters, whether it exists or not."""
    return "-".join(f"{ord(point):04x}" for point in emoji if point != VARIATION_SELECTOR)
