"""Turns addresses in running text into links: https://..., tel:..., name@example.com.

Every expression here looks only a bounded distance around the current position, so that no text
takes more than linear time.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from chatapi.rendering.link_schemes import LINK_SCHEMES, is_scheme_without_slashes

_MAX_ADDRESS_LENGTH = 2_000
_MAX_LOCAL_PART_LENGTH = 64
_MAX_SCHEME_LENGTH = 20

ADDRESS_CHARACTERS = rf"[^\s<>\[\]\\`]{{0,{_MAX_ADDRESS_LENGTH}}}"
_AFTER_SCHEME = re.compile(rf":(?://\w|[\w+?]){ADDRESS_CHARACTERS}")
_MAIL_HOST = re.compile(r"@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}(?![\w@/-])", re.IGNORECASE)
_SCHEME_BEFORE = re.compile(r"(?<![\w.+-])[a-z][a-z0-9.+-]*$", re.IGNORECASE)
_LOCAL_PART_BEFORE = re.compile(r"(?<![^\s(<,;:])[a-z0-9][a-z0-9.+_-]*$", re.IGNORECASE)

_ENDS_SENTENCES = "?!.,:;*_~'\""


class Address(NamedTuple):
    """An address in a text, relative to the character that triggered the match."""

    before: str
    """The part before that character, already parsed as plain text."""
    rest: str
    prefix: str = ""
    """The part of the link target that is not in the text."""


def add_bare_links(parser: MarkdownIt) -> None:
    """Added before emphasis, which would split addresses at their asterisks."""
    for character in _FINDERS:
        parser.inline.add_terminator_char(character)
    parser.inline.ruler.before("emphasis", "bare_link", _bare_link)


def without_sentence_end(address: str) -> str:
    """Remove what belongs to the sentence around it, such as `.` or an unmatched bracket."""
    surplus = address.count(")") - address.count("(")
    end = len(address)
    while end and (
        address[end - 1] in _ENDS_SENTENCES or (address[end - 1] == ")" and surplus > 0)
    ):
        surplus -= address[end - 1] == ")"
        end -= 1
    return address[:end]


def _bare_link(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    # Not inside a link, nor while the parser looks for the `]` of one: an address has no brackets.
    if silent or state.linkLevel > 0:
        return False
    find = _FINDERS.get(state.src[state.pos])
    address = find(state.src, state.pos) if find else None
    if address is None or not state.pending.endswith(address.before):
        return False
    text = address.before + address.rest
    target = state.md.normalizeLink(address.prefix + text)
    if not state.md.validateLink(target):
        return False
    state.pending = state.pending.removesuffix(address.before)
    state.push("link_open", "a", 1).attrs = {"href": target}
    state.push("text", "", 0).content = text
    state.push("link_close", "a", -1)
    state.pos += len(address.rest)
    return True


def _find_at_colon(text: str, colon: int) -> Address | None:
    # Most colons are in times and sentences.
    rest = _AFTER_SCHEME.match(text, colon) if text[colon - 1 : colon].isalpha() else None
    if rest is None:
        return None
    before = _SCHEME_BEFORE.search(text[max(0, colon - _MAX_SCHEME_LENGTH) : colon])
    scheme = before[0].lower() if before else ""
    has_slashes = text.startswith("://", colon)
    if scheme not in LINK_SCHEMES or not (has_slashes or is_scheme_without_slashes(scheme)):
        return None
    address = without_sentence_end(rest[0])
    is_complete = address.strip(":/")
    return Address(text[colon - len(scheme) : colon], address) if is_complete else None


def _find_at_sign(text: str, at_sign: int) -> Address | None:
    host = _MAIL_HOST.match(text, at_sign)
    earliest = max(0, at_sign - _MAX_LOCAL_PART_LENGTH - 1)
    name = _LOCAL_PART_BEFORE.search(text[earliest:at_sign])
    return Address(name[0], host[0], prefix="mailto:") if host and name else None


_FINDERS: dict[str, Callable[[str, int], Address | None]] = {
    ":": _find_at_colon,
    "@": _find_at_sign,
}
