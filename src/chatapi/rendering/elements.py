"""Elements of our own, as tokens the renderer of the parser already knows how to write."""

from collections.abc import Mapping

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token


def push_element(
    state: StateInline, kind: str, tag: str, attributes: Mapping[str, str], text: str
) -> Token:
    """An element around a text; everything is escaped when it is written."""
    opening = state.push(f"{kind}_open", tag, 1)
    opening.attrs = dict(attributes)
    state.push("text", "", 0).content = text
    state.push(f"{kind}_close", tag, -1)
    return opening


def follows_a_word(state: StateInline) -> bool:
    """Whether the character before is part of a word, as the one before `@` in an address."""
    return state.pos > 0 and state.src[state.pos - 1].isalnum()
