"""Marks of `code` in a line of text, and those of headings."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, heading
from markdown_it.rules_inline import StateInline, backtick


def add_text_marks(parser: MarkdownIt) -> None:
    parser.inline.ruler.at("backticks", _code)
    parser.block.ruler.at("heading", _heading, {"alt": ["paragraph", "reference", "blockquote"]})


def _heading(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    """A heading without text would not be seen."""
    text = state.src[state.bMarks[first] : state.eMarks[first]]
    return bool(text.strip("# \t")) and heading(state, first, end, silent)


def _code(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    """Keeps the blanks at both ends, which may matter in code."""
    start = state.pos
    before = len(state.tokens)
    if not backtick(state, silent):
        return False
    if len(state.tokens) > before and (token := state.tokens[-1]).type == "code_inline":
        length = len(token.markup)
        token.content = state.src[start + length : state.pos - length].replace("\n", " ")
    return True
