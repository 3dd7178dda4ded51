"""`$$x^2$$` and `math` fences are TeX: shown as written, in a class that clients may typeset."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from chatapi.rendering.elements import push_element
from chatapi.rendering.syntax import FORMULA


def add_formulas(parser: MarkdownIt) -> None:
    parser.inline.ruler.before("emphasis", "formula", _formula)


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    if state.src[state.pos] != "$":
        return False
    found = FORMULA.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        push_element(state, "formula", "code", {"class": "math"}, found["formula"].strip())
    state.pos = found.end()
    return True
