"""Custom elements, as tokens that the parser's renderer can already write."""

from collections.abc import Mapping

from markdown_it.rules_inline import StateInline
from markdown_it.token import Token


def push_element(
    state: StateInline,
    kind: str,
    tag: str,
    attributes: Mapping[str, str | int | float] | Mapping[str, str],
    text: str,
) -> Token:
    """Push an element around a text; everything is escaped when it is written."""
    opening = state.push(f"{kind}_open", tag, 1)
    opening.attrs = dict(attributes)
    state.push("text", "", 0).content = text
    state.push(f"{kind}_close", tag, -1)
    return opening


def follows_a_word(state: StateInline) -> bool:
    """Whether the character before is part of a word, as before the `@` of an email address."""
    return state.pos > 0 and state.src[state.pos - 1].isalnum()
