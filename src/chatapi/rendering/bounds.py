"""Limits on the parser's rules, so that parsing takes linear time."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block, table
from markdown_it.rules_inline import StateInline, link

from chatapi.rendering.budget import spend_link, spend_table

DEEPEST_NESTING = 20
"""The parser drops what is nested deeper than this."""

# A list and its item are two levels: the content of the last one must still fit in.
_DEEPEST_CONTAINER = DEEPEST_NESTING - 3
_MAX_CELLS = 2_500
_DEEPEST_BRACKETS = 6
_NO_TABLE_BEFORE = "no_table_before_line"


def bound_rules(parser: MarkdownIt) -> None:
    """Put limits around the rules of the parser that have none, or too generous ones."""
    block = parser.block.ruler
    block.at("table", _table, {"alt": ["paragraph", "reference"]})
    block.at("blockquote", _quote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    block.at("list", _list, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.inline.ruler.at("link", _link)


def is_too_deep(state: StateBlock) -> bool:
    """Whether to render content nested here as plain text, instead of dropping it."""
    return state.level > _DEEPEST_CONTAINER


def _table(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    """A table, unless rows that are nearly empty would be filled up to thousands of cells."""
    if first < state.env.get(_NO_TABLE_BEFORE, 0) or not table(state, first, end, True):
        return False
    after = first + 1
    while after < end and not state.isEmpty(after):
        after += 1
    ruler = state.getLines(first + 1, first + 2, 0, False)
    cells = (ruler.count("|") + 1) * (after - first)
    if cells > _MAX_CELLS:
        # Stored, so that the same lines are not counted again from each of them.
        state.env[_NO_TABLE_BEFORE] = after
        return False
    spend_table(state.env, cells)
    return table(state, first, end, silent)


def _quote(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    """A quote ends where lines no longer begin with `>`.

    CommonMark lets a paragraph continue without the mark. Finding its end takes the parser
    quadratic time, and in a chat the next line is the reply, not the quote.
    """
    if is_too_deep(state):
        return False
    after = first
    while after < end and _begins_with_mark(state, after):
        after += 1
    if after == first:
        return False
    line_max, state.lineMax = state.lineMax, after
    try:
        return blockquote(state, first, after, silent)
    finally:
        state.lineMax = line_max


def _begins_with_mark(state: StateBlock, line: int) -> bool:
    start = state.bMarks[line] + state.tShift[line]
    return start < state.eMarks[line] and state.src[start] == ">"


def _list(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    return not is_too_deep(state) and list_block(state, first, end, silent)


def _link(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    """Do not look for links inside many brackets: the parser would, at each of them again."""
    if state.src[state.pos] != "[":
        return False
    if silent and state.level > _DEEPEST_BRACKETS:
        state.pos = state.posMax
        return True
    spend_link(state.env)
    return link(state, silent)
