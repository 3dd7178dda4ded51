"""`$$x^2$$` and `math` fences are TeX, written as MathML in the form that clients know.

A formula that the library refuses, or that exceeds the limits, is shown as code.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape, unescape
from xml.etree.ElementTree import Element

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chatapi.rendering.environment import FormulaBudget, environment_of
from chatapi.rendering.mathml import ATTRIBUTES, ELEMENTS, VALUE
from chatapi.rendering.syntax import FORMULA

_LONGEST = 1_000
_DEEPEST = 60
_REFUSED = re.compile(
    r"\\(?:DeclareMathOperator|def|newcommand|newenvironment|sideset)(?![a-zA-Z])"
)
"""Definitions can contain each other, and nested side sets take the library exponential time."""
_BLANK_LINES = re.compile(r"\n\s*\n")


class _NoFormulaError(Exception):
    """The formula is shown as it was written."""


@dataclass
class _Writer:
    """Writes the elements of a formula that are on the list."""

    parts: list[str]

    def write(self, element: Element, depth: int = 0) -> None:
        if element.tag not in ELEMENTS or depth > _DEEPEST:
            raise _NoFormulaError
        attributes = "".join(
            f' {name}="{escape(value)}"'
            for name, value in element.attrib.items()
            if name in ATTRIBUTES and VALUE.fullmatch(value)
        )
        self.parts.append(f"<{element.tag}{attributes}>{_text(element.text)}")
        for child in element:
            self.write(child, depth + 1)
            self.parts.append(_text(child.tail))
        self.parts.append(f"</{element.tag}>")


def add_formulas(parser: MarkdownIt) -> None:
    parser.inline.ruler.before("emphasis", "formula", _formula)
    parser.add_render_rule("formula", _write_formula)


def write_formula_block(source: str, budget: FormulaBudget) -> str:
    """The formulas of a `math` fence, one after each blank line."""
    formulas = [text.strip("\n") for text in _BLANK_LINES.split(source) if text.strip()] or [""]
    return "".join(f"{html}\n" for html in _write_block(formulas, budget))


def _formula(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    if state.src[state.pos] != "$":
        return False
    found = FORMULA.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("formula", "", 0).content = found["formula"].strip()
    state.pos = found.end()
    return True


def _write_formula(
    _renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    _options: OptionsDict,
    env: EnvType,
) -> str:
    source = tokens[index].content
    try:
        return _write(source, environment_of(env).formulas)
    except _NoFormulaError:
        return f"<code>{escape(source, quote=False)}</code>"


def _write_block(formulas: Sequence[str], budget: FormulaBudget) -> Iterator[str]:
    for source in formulas:
        try:
            html = _write(source, budget, display=' display="block"')
            yield f'<p><span class="katex-display">{html}</span></p>'
        except _NoFormulaError:
            code = f"<pre><span></span><code>{escape(source, quote=False)}\n</code></pre>"
            yield f'<div class="codehilite">{code}</div>'


def _write(source: str, budget: FormulaBudget, display: str = "") -> str:
    budget.left -= len(source)
    if not source or len(source) > _LONGEST or budget.left < 0 or _REFUSED.search(source):
        raise _NoFormulaError
    writer = _Writer([])
    for row in _convert(source, is_block=bool(display)):
        writer.write(row)
    text = escape(source, quote=False)
    annotation = f'<annotation encoding="application/x-tex">{text}</annotation>'
    semantics = f"<semantics>{''.join(writer.parts)}{annotation}</semantics>"
    math = f'<math xmlns="http://www.w3.org/1998/Math/MathML"{display}>{semantics}</math>'
    # Clients that typeset formulas themselves do it here; to others this is the source.
    shown = f'<span class="katex-html" aria-hidden="true">{text}</span>'
    return f'<span class="katex"><span class="katex-mathml">{math}</span>{shown}</span>'


def _convert(source: str, *, is_block: bool) -> Element:
    # Imported late: few texts contain formulas, and the table of symbols is large.
    from latex2mathml.converter import convert_to_element  # noqa: PLC0415

    try:
        return convert_to_element(source, display="block" if is_block else "inline")
    except Exception as error:
        # Besides its own, the library raises whatever an unexpected token leads to.
        raise _NoFormulaError from error


def _text(text: str | None) -> str:
    """The library writes some symbols as character references."""
    return escape(unescape(text or ""), quote=False)
