"""Translates emoticons such as `:)` to emoji, for authors who switched that on."""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from chatapi.rendering.emoji import emoji_attributes
from chatapi.rendering.emoji_names import unicode_emoji_code
from chatapi.rendering.emoticon_names import EMOTICON, EMOTICON_NAMES
from chatapi.rendering.environment import environment_of
from chatapi.rendering.text_tokens import Element, replace_texts


def add_emoticons(parser: MarkdownIt) -> None:
    """Added when texts are complete: they may be within emphasis, but not part of a link."""
    parser.core.ruler.push("emoticons", _translate)


def _translate(state: StateCore) -> None:
    if environment_of(state.env).directory.translates_emoticons:
        replace_texts(state, _find)


def _find(text: str) -> Iterator[Element]:
    for found in EMOTICON.finditer(text):
        name = EMOTICON_NAMES[found[0]]
        attributes = emoji_attributes(name, unicode_emoji_code(name) or "")
        yield Element(found.start(), found.end(), "emoji", "span", attributes, f":{name}:")
