"""The Markdown of this service: CommonMark with tables, strikethrough and bare links."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from typing_extensions import override

from chatapi.rendering.bounds import bound_rules
from chatapi.rendering.links import add_bare_links
from chatapi.rendering.sanitize import LINK_SCHEMES, sanitize_html

_DEEPEST_NESTING = 20
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


class ChatMarkdown(MarkdownIt):
    """The parser with our own idea of which links are links."""

    @override
    def validateLink(self, url: str) -> bool:
        """Relative, or with a scheme that cannot run anything."""
        scheme = _SCHEME.match(url)
        return scheme is None or scheme[1].lower() in LINK_SCHEMES


def render_markdown(text: str) -> str:
    """Safe HTML for a text somebody wrote.

    Callers bound the length of the text: up to 10,000 characters take a fraction of a second,
    whatever they are.
    """
    return sanitize_html(_parser.render(text)).rstrip("\n")


def _build_parser() -> MarkdownIt:
    # Raw HTML is shown as the text it is. Images are links: showing one would tell a stranger's
    # server who reads. Without link definitions, because such a line would just disappear.
    parser = ChatMarkdown(
        "commonmark", {"html": False, "breaks": True, "maxNesting": _DEEPEST_NESTING}
    ).disable(["html_block", "html_inline", "image", "reference"])
    parser.enable(["strikethrough", "table"])
    parser.add_render_rule("s_open", _deleted)
    parser.add_render_rule("s_close", _deleted)
    bound_rules(parser)
    add_bare_links(parser)
    return parser


def _deleted(
    _renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    _options: OptionsDict,
    _env: EnvType,
) -> str:
    """Clients know struck text as `del`."""
    return "<del>" if tokens[index].nesting == 1 else "</del>"


_parser = _build_parser()
