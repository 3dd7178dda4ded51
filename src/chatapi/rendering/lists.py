"""Lists: nested by two blanks, and directly after a line of text."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, fence, list_block
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from chatapi.rendering.bounds import is_too_deep

_ENDS = ["paragraph", "reference", "blockquote"]
_STEP = 2
_WIDEST_GAP = 4
_ITEM = re.compile(r"(?P<mark>(?P<number>[0-9]{1,9})[.)]|[*+-])(?P<gap>[ \t]*)(?P<text>\S?)")
_ITEM_AFTER_TEXT = re.compile(r"[0-9]\.[ \t]+\S")
"""With more digits it is rather a year or an amount at the end of a sentence."""
_SHIFTS = "lines_shifted"
_TILDES_IN_TEXT = re.compile(r"~~~+[^~\n]+~")
"""A line that begins with tildes and has some later on is struck text rather than a fence."""


def add_lists(parser: MarkdownIt) -> None:
    block = parser.block.ruler
    block.at("list", _list, {"alt": _ENDS})
    block.at("fence", _fence, {"alt": [*_ENDS, "list"]})
    parser.core.ruler.after("block", "bulleted_lists", _join_bulleted_lists)


def _list(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    if is_too_deep(state) or _is_text(state, first):
        return False
    if silent:
        return list_block(state, first, end, True) or _follows_text(state, first, end)
    shifted = _shift_nested_lines(state, first, end)
    try:
        return list_block(state, first, end, False)
    finally:
        for line, columns in shifted:
            state.sCount[line] -= columns
            state.env[_SHIFTS][line] -= columns


def _is_text(state: StateBlock, line: int) -> bool:
    """Whether what looks like an item to the parser stays text.

    A list that begins without any text is rather an amount or a dash, and numbers of lists have
    dots: clients would show one where a bracket was written.
    """
    start = state.bMarks[line] + state.tShift[line]
    item = _ITEM.match(state.src, start, state.eMarks[line])
    return item is not None and (not item["text"] or item["mark"].endswith(")"))


def _follows_text(state: StateBlock, first: int, end: int) -> bool:
    """Whether a numbered list begins here; the parser allows only 1 after a line of text."""
    start = state.bMarks[first] + state.tShift[first]
    if state.parentType != "paragraph" or not _ITEM_AFTER_TEXT.match(state.src, start):
        return False
    state.parentType = "list"
    try:
        return list_block(state, first, end, True)
    finally:
        state.parentType = "paragraph"


def _shift_nested_lines(state: StateBlock, first: int, end: int) -> list[tuple[int, int]]:
    """Let the parser see lines that are indented by two as indented like the text of their item.

    Returns lines with the number of columns by which they were shifted.
    """
    shifted: list[tuple[int, int]] = []
    mark, width = _read_item(state, first)
    if width <= _STEP:
        return shifted
    base = state.sCount[first]
    columns: int | None = None
    for line in range(first + 1, end):
        if state.isEmpty(line):
            continue
        indent = state.sCount[line] - base
        if indent < _STEP:
            next_mark, width = _read_item(state, line)
            if indent < 0 or next_mark != mark:
                break
            columns = None
        else:
            # The first nested line shows how the author indents.
            columns = max(width - indent, 0) if columns is None else columns
            if columns:
                shifted.append((line, columns))
    shifts = state.env.setdefault(_SHIFTS, {})
    for line, columns in shifted:
        state.sCount[line] += columns
        shifts[line] = shifts.get(line, 0) + columns
    return shifted


def _read_item(state: StateBlock, line: int) -> tuple[str, int]:
    """The kind of mark of a list item, or an empty text, and the columns before its text."""
    start = state.bMarks[line] + state.tShift[line]
    item = _ITEM.match(state.src, start, state.eMarks[line])
    if item is None or not (item["gap"] or not item["text"]):
        return "", 0
    gap = len(item["gap"]) if item["text"] else 1
    width = len(item["mark"]) + (gap if gap <= _WIDEST_GAP else 1)
    return item["mark"][-1] + ("1" if item["number"] else ""), width


def _join_bulleted_lists(state: StateCore) -> None:
    """Items with different bullets are of one list."""
    kept: list[Token] = []
    for token in state.tokens:
        if (
            token.type == "bullet_list_open"
            and kept
            and kept[-1].type == "bullet_list_close"
            and kept[-1].level == token.level
        ):
            kept.pop()
        else:
            kept.append(token)
    state.tokens = kept


def _fence(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    """Code loses the indentation of its fence, in columns as they were written."""
    start = state.bMarks[first] + state.tShift[first]
    if _TILDES_IN_TEXT.match(state.src, start, state.eMarks[first]):
        return False
    columns = state.env.get(_SHIFTS, {}).get(first, 0)
    state.sCount[first] -= columns
    try:
        return fence(state, first, end, silent)
    finally:
        state.sCount[first] += columns
