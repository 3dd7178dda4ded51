"""Quotes: lines that begin with `>`, and the lines that continue their last paragraph.

The parser finds the end of a quote in quadratic time if lines look as if they continued it, but do
not, because it does not end with a paragraph. Such lines are remembered and not tried again.
"""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote

from chatapi.rendering.bounds import is_too_deep

_ENDS = ["paragraph", "reference", "blockquote", "list"]
_NO_CONTINUATION_BEFORE = "no_quote_continues_before_line"
_NO_QUOTE_BEFORE = "no_quote_before_line"


def add_quotes(parser: MarkdownIt) -> None:
    parser.block.ruler.at("blockquote", _quote, {"alt": _ENDS})


def _quote(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    if is_too_deep(state) or not _begins_with_mark(state, first) or _is_empty(state, first, end):
        return False
    if silent:
        return blockquote(state, first, end, True)
    after = _find_end(state, first, end)
    line_max, state.lineMax = state.lineMax, after
    try:
        is_quote = blockquote(state, first, after, False)
    finally:
        state.lineMax = line_max
    if is_quote and state.line < after:
        state.env[_NO_CONTINUATION_BEFORE] = after
    return is_quote


def _find_end(state: StateBlock, first: int, end: int) -> int:
    """The line after the last one that may belong to the quote."""
    terminators = state.md.block.ruler.getRules("blockquote")
    may_continue = first >= state.env.get(_NO_CONTINUATION_BEFORE, 0)
    is_continued = False
    line = first
    while line < end:
        if _begins_with_mark(state, line) and state.sCount[line] >= state.blkIndent:
            is_continued = may_continue and bool(_text(state, line))
        elif (
            not is_continued
            or state.isEmpty(line)
            or any(rule(state, line, end, True) for rule in terminators)
        ):
            break
        line += 1
    return line


def _is_empty(state: StateBlock, first: int, end: int) -> bool:
    """Whether there are only marks, which stay text: a quote of nothing would not be seen."""
    if first < state.env.get(_NO_QUOTE_BEFORE, 0):
        return True
    line = first
    while line < end and _begins_with_mark(state, line) and not _text(state, line):
        line += 1
    if line == first or (line < end and _begins_with_mark(state, line)):
        return False
    state.env[_NO_QUOTE_BEFORE] = line
    return True


def _begins_with_mark(state: StateBlock, line: int) -> bool:
    start = state.bMarks[line] + state.tShift[line]
    return start < state.eMarks[line] and state.src[start] == ">"


def _text(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] : state.eMarks[line]].strip("> \t")
