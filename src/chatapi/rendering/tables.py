"""Tables in the form that clients know: a body with as many cells in each row as in the header."""

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_block.table import escapedSplit, getLine
from markdown_it.token import Token

from chatapi.rendering.budget import spend_table

_MAX_CELLS = 2_500
_NO_TABLE_BEFORE = "no_table_before_line"
_CELLS = frozenset({"th_open", "td_open"})


def add_tables(parser: MarkdownIt) -> None:
    parser.block.ruler.at("table", _table, {"alt": ["paragraph", "reference"]})


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
    before = len(state.tokens)
    if not table(state, first, end, silent):
        return False
    if not silent:
        _complete(state, state.tokens[before:])
    return True


def _complete(state: StateBlock, tokens: list[Token]) -> None:
    columns = sum(token.type == "th_open" for token in tokens)
    for number, token in enumerate(tokens):
        if token.type in _CELLS and token.attrs:
            side = str(token.attrs["style"]).removeprefix("text-align:")
            token.attrs["style"] = f"text-align: {side};"
        elif token.type == "tr_open" and token.map is not None:
            # Each cell is three tokens; the last one also gets what is too much for the row.
            last_cell = tokens[number + 3 * columns - 1]
            last_cell.content += _surplus(state, token.map[0], columns)
    if not any(token.type == "tbody_open" for token in tokens):
        _push_empty_body(state, columns)


def _surplus(state: StateBlock, line: int, columns: int) -> str:
    text = getLine(state, line).strip()
    if text.count("|") < columns:
        return ""
    cells = escapedSplit(text)
    if cells and not cells[0]:
        cells.pop(0)
    if cells and not cells[-1]:
        cells.pop()
    return "".join(f" | {cell.strip()}" for cell in cells[columns:])


def _push_empty_body(state: StateBlock, columns: int) -> None:
    closing = state.tokens.pop()
    state.level += 1
    state.push("tbody_open", "tbody", 1)
    state.push("tr_open", "tr", 1)
    for _ in range(columns):
        state.push("td_open", "td", 1)
        state.push("inline", "", 0).children = []
        state.push("td_close", "td", -1)
    state.push("tr_close", "tr", -1)
    state.push("tbody_close", "tbody", -1)
    state.level -= 1
    state.tokens.append(closing)
