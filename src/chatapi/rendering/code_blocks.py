"""Code blocks: labelled with their language, and highlighted if that is cheap enough."""

import re
from collections.abc import Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chatapi.rendering.environment import environment_of
from chatapi.rendering.formulas import write_formula_block

_HEADER = re.compile(r"\{?[ \t]*\.?(?P<language>\w[\w.+#/-]{0,39})(?P<rest>[ \t]+.*)?\}?")
"""`python`, `.python`, `{.python}`, `{python hl_lines="2"}`."""
_FORMULA_LANGUAGE = "math"


def add_code_blocks(parser: MarkdownIt) -> None:
    parser.add_render_rule("code_block", _code_block)
    parser.add_render_rule("fence", _code_block)


def _code_block(
    _renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    _options: OptionsDict,
    env: EnvType,
) -> str:
    code, info = tokens[index].content, tokens[index].info.strip()
    if code and not code.endswith("\n"):
        # The last line of a fence that was not closed.
        code += "\n"
    if not info:
        return _write(escape(code, quote=False))
    header = _HEADER.fullmatch(info)
    if header is not None and header["language"] == _FORMULA_LANGUAGE:
        return write_formula_block(code, environment_of(env).formulas)
    # Imported late: few texts contain code, and the lexers are large.
    from chatapi.rendering.highlighting import highlight, is_language  # noqa: PLC0415

    if header is None or (header["rest"] and not is_language(header["language"])):
        # Words rather than a header: shown as code, so that they do not disappear.
        return _write(escape(f"{info}\n{code}", quote=False))
    highlighted = highlight(code, header["language"], environment_of(env).highlighting)
    return _write(highlighted.html, highlighted.language)


def _write(html: str, language: str | None = None) -> str:
    attribute = f' data-code-language="{escape(language)}"' if language else ""
    return f'<div class="codehilite"{attribute}><pre><span></span><code>{html}</code></pre></div>\n'
