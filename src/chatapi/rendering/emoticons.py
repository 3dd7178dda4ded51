"""Translates emoticons such as `:)` to emoji, for authors who switched that on."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from chatapi.rendering.emoji import emoji_attributes
from chatapi.rendering.emoji_names import unicode_emoji_code
from chatapi.rendering.environment import environment_of
from chatapi.rendering.text_tokens import Element, replace_texts

_NAMES = {
    ":)": "slight_smile",
    "(:": "slight_smile",
    ":(": "frown",
    "<3": "heart",
    ":|": "neutral",
    ":/": "confused",
    ";)": "wink",
    ":D": "smile",
    ":o": "open_mouth",
    ":O": "open_mouth",
    ":p": "stuck_out_tongue",
    ":P": "stuck_out_tongue",
}
_AROUND = r"[^,.;?!()\[\] \"'\n\t]"
_EMOTICON = re.compile(f"(?<!{_AROUND})(?:{'|'.join(map(re.escape, _NAMES))})(?!{_AROUND})")


def add_emoticons(parser: MarkdownIt) -> None:
    """Added when texts are complete: they may be within emphasis, but not part of a link."""
    parser.core.ruler.push("emoticons", _translate)


def has_emoticon(content: str) -> bool:
    return _EMOTICON.search(content) is not None


def _translate(state: StateCore) -> None:
    if environment_of(state.env).directory.translates_emoticons:
        replace_texts(state, _find)


def _find(text: str) -> Iterator[Element]:
    for found in _EMOTICON.finditer(text):
        name = _NAMES[found[0]]
        attributes = emoji_attributes(name, unicode_emoji_code(name) or "")
        yield Element(found.start(), found.end(), "emoji", "span", attributes, f":{name}:")
