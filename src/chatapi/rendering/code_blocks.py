"""Code blocks: labelled with their language, and highlighted if that is cheap enough."""

import re
from collections.abc import Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chatapi.rendering.environment import environment_of

_LANGUAGE = re.compile(r"[\w.+#-]{1,40}")
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
    code = tokens[index].content
    language = _LANGUAGE.match(tokens[index].info.strip())
    if language is None:
        return _write(escape(code, quote=False))
    if language[0] == _FORMULA_LANGUAGE:
        return f'<pre><code class="math">{escape(code, quote=False)}</code></pre>\n'
    # Imported late: few texts contain code, and the lexers are large.
    from chatapi.rendering.highlighting import highlight  # noqa: PLC0415

    highlighted = highlight(code, language[0], environment_of(env).highlighting)
    return _write(highlighted.html, highlighted.language)


def _write(html: str, language: str | None = None) -> str:
    attribute = f' data-code-language="{escape(language)}"' if language else ""
    return f'<div class="codehilite"{attribute}><pre><span></span><code>{html}</code></pre></div>\n'
