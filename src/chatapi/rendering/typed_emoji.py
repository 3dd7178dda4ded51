"""Emoji that were typed as characters are written like those that were typed by name."""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from chatapi.rendering.emoji import emoji_attributes
from chatapi.rendering.emoji_names import (
    VARIATION_SELECTOR,
    canonical_names_by_emoji,
    emoji_code,
)
from chatapi.rendering.text_tokens import Element, replace_texts

_JOINER, _KEYCAP = "\u200d", "\u20e3"
# Some ranges, because a search for each single character of an emoji would take much longer.
_CHARACTERS = "\u00a9\u00ae\u203c-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_MODIFIERS = (
    "[\U0001f3fb-\U0001f3ff]"
    f"|{VARIATION_SELECTOR}{_KEYCAP}?"
    "|[\U000e0020-\U000e007e]{1,8}\U000e007f"
)
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_SINGLE = f"(?:{_FLAG}|[{_CHARACTERS}](?:{_MODIFIERS})?)"
_KEY = f"[#*0-9]{VARIATION_SELECTOR}?{_KEYCAP}"
_MAYBE_EMOJI = re.compile(f"[{_CHARACTERS}]")
# Whole sequences, also those that are no emoji, so that they are not cut up.
_EMOJI = re.compile(f"{_SINGLE}(?:{_JOINER}{_SINGLE}){{0,8}}|{_KEY}")


class _Emoji(NamedTuple):
    characters: str
    name: str


def add_typed_emoji(parser: MarkdownIt) -> None:
    """Added when texts are complete; those in code and names are not changed."""
    parser.core.ruler.push("typed_emoji", _write_emoji)


def _write_emoji(state: StateCore) -> None:
    if not state.src.isascii() and _MAYBE_EMOJI.search(state.src):
        replace_texts(state, _find, in_links=True)


def _find(text: str) -> Iterator[Element]:
    for found in _EMOJI.finditer(text):
        name = _find_name(found[0])
        if name is not None:
            attributes = emoji_attributes(name, emoji_code(found[0]))
            yield Element(found.start(), found.end(), "emoji", "span", attributes, f":{name}:")


def _find_name(characters: str) -> str | None:
    emoji = _emoji_by_code().get(emoji_code(characters))
    if emoji is None:
        return None
    # A single character that becomes an emoji only by a selector is text without it: ©, ↔, ☺.
    is_text = characters != emoji.characters and len(characters.rstrip(_KEYCAP)) == 1
    return None if is_text else emoji.name


@functools.cache
def _emoji_by_code() -> dict[str, _Emoji]:
    return {
        emoji_code(characters): _Emoji(characters, name)
        for characters, name in canonical_names_by_emoji().items()
    }
