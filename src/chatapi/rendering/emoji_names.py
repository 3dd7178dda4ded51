"""Names of Unicode emoji, and the codes that clients use for them.

Existing clients have names of their own; where a name has another meaning elsewhere (`smile`),
theirs takes precedence. The tables are large, so each is loaded on demand.
"""

import functools
import re
import unicodedata
from collections.abc import Mapping, Sequence

_VARIATION_SELECTOR = "\ufe0f"
_NOT_IN_NAMES = re.compile(r"[^a-z0-9_+-]+")


def unicode_emoji_code(name: str) -> str | None:
    """The code points of an emoji in hexadecimal, joined by dashes: `1f44d` for `thumbs_up`."""
    return _client_codes().get(name) or _standard_codes().get(name)


def is_unicode_emoji(name: str, code: str) -> bool:
    """Whether a client may mean this emoji by this name."""
    return _client_codes().get(name) == code or _standard_codes().get(name) == code


def is_unicode_emoji_code(code: str) -> bool:
    """Whether an emoji has this code, under any name."""
    return code in _all_codes()


@functools.cache
def emoji_names_by_code() -> Mapping[str, Sequence[str]]:
    """The names of each emoji by its code, the preferred name first."""
    names: dict[str, list[str]] = {}
    for name, code in [*_client_codes().items(), *_standard_codes().items()]:
        known = names.setdefault(code, [])
        # A name that clients give to another emoji is not a name of this one.
        if name not in known and unicode_emoji_code(name) == code:
            known.append(name)
    return {code: known for code, known in names.items() if known}


@functools.cache
def _all_codes() -> frozenset[str]:
    return frozenset(_client_codes().values()).union(_standard_codes().values())


@functools.cache
def _client_codes() -> dict[str, str]:
    from zulip_emoji_mapping.emoji_names import EMOJI_NAME_MAPS  # noqa: PLC0415 (see above)

    return {
        name: code
        for code, names in EMOJI_NAME_MAPS.items()
        for name in (names["canonical_name"], *names["aliases"])
    }


@functools.cache
def _standard_codes() -> dict[str, str]:
    from emoji import EMOJI_DATA, STATUS  # noqa: PLC0415 (see above)

    codes: dict[str, str] = {}
    for emoji, names in EMOJI_DATA.items():
        if names["status"] <= STATUS["fully_qualified"]:
            for name in (names["en"], *names.get("alias", ())):
                codes.setdefault(_plain(name), _code(emoji))
    return codes


def _plain(name: str) -> str:
    """The name in a form that can be typed, for names such as `:A_button_(blood_type):`."""
    without_accents = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _NOT_IN_NAMES.sub("", without_accents.lower().replace("&", "and"))


def _code(emoji: str) -> str:
    return "-".join(f"{ord(point):04x}" for point in emoji if point != _VARIATION_SELECTOR)
