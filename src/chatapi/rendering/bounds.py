"""Limits on the parser's rules, so that parsing takes linear time."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline, link

from chatapi.rendering.budget import spend_link

DEEPEST_NESTING = 20
"""The parser drops what is nested deeper than this."""

# A list and its item are two levels: the content of the last one must still fit in.
_DEEPEST_CONTAINER = DEEPEST_NESTING - 3
_DEEPEST_BRACKETS = 6


def bound_links(parser: MarkdownIt) -> None:
    parser.inline.ruler.at("link", _link)


def is_too_deep(state: StateBlock) -> bool:
    """Whether to render content nested here as plain text, instead of dropping it."""
    return state.level > _DEEPEST_CONTAINER


def _link(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    """Do not look for links inside many brackets: the parser would, at each of them again."""
    if state.src[state.pos] != "[":
        return False
    if silent and state.level > _DEEPEST_BRACKETS:
        state.pos = state.posMax
        return True
    spend_link(state.env)
    return link(state, silent)
