"""The Markdown dialect of this service: CommonMark with extensions for chat."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from typing_extensions import override

from chatapi.rendering.bounds import DEEPEST_NESTING, bound_links
from chatapi.rendering.budget import add_budget, with_budget
from chatapi.rendering.channel_links import add_channel_links
from chatapi.rendering.code_blocks import add_code_blocks
from chatapi.rendering.containers import add_containers
from chatapi.rendering.directory import EMPTY_DIRECTORY
from chatapi.rendering.emoji import add_emoji
from chatapi.rendering.emoticons import add_emoticons
from chatapi.rendering.emphasis import add_emphasis
from chatapi.rendering.environment import Environment
from chatapi.rendering.formulas import add_formulas
from chatapi.rendering.host_names import add_host_names, with_scheme
from chatapi.rendering.images import add_images
from chatapi.rendering.link_schemes import LINK_SCHEMES
from chatapi.rendering.link_targets import (
    add_link_targets,
    lacks_targets,
    show_refused_links_as_text,
)
from chatapi.rendering.links import add_bare_links
from chatapi.rendering.lists import add_lists
from chatapi.rendering.mentions import add_mentions
from chatapi.rendering.pattern_links import add_pattern_links
from chatapi.rendering.previews import add_previews
from chatapi.rendering.quotes import add_quotes
from chatapi.rendering.sanitize import sanitize_html
from chatapi.rendering.tables import add_tables
from chatapi.rendering.text_marks import add_text_marks
from chatapi.rendering.times import add_times
from chatapi.rendering.typed_emoji import add_typed_emoji

_SCHEME = re.compile(r"([^/?#:]*):")
"""Also matches invalid schemes: no relative address has a colon there either."""


class ChatMarkdown(MarkdownIt):
    """The parser with our own rule of which link targets are allowed."""

    @override
    def validateLink(self, url: str) -> bool:
        """Allows relative addresses, and schemes that cannot run code."""
        scheme = _SCHEME.match(url)
        return scheme is None or scheme[1].lower() in LINK_SCHEMES

    @override
    def normalizeLink(self, url: str) -> str:
        """Also completes host names and email addresses that were written without a scheme."""
        return super().normalizeLink(with_scheme(url))


def parse(text: str, environment: Environment) -> list[Token]:
    """Parse a text to tokens; raises `TooMuchWorkError` if it exceeds the budget."""
    return _parser.parse(text, with_budget(environment.as_parser_env()))


def write_html(tokens: Sequence[Token], environment: Environment) -> str:
    """Render tokens to safe HTML."""
    html = _write(tokens, environment)
    if lacks_targets(html):
        show_refused_links_as_text(tokens)
        html = _write(tokens, environment.renewed())
    return html


def _write(tokens: Sequence[Token], environment: Environment) -> str:
    html = _parser.renderer.render(tokens, _parser.options, environment.as_parser_env())
    return sanitize_html(html).rstrip("\n")


def _build_parser() -> MarkdownIt:
    # Raw HTML is shown as plain text. Link definitions, underlined headings, escapes and links in
    # angle brackets are disabled, because lines, `===`, backslashes and brackets would disappear.
    options = {"html": False, "breaks": True, "maxNesting": DEEPEST_NESTING}
    parser = ChatMarkdown("commonmark", options)
    parser.disable(["html_block", "html_inline", "reference", "lheading", "escape", "autolink"])
    parser.enable(["strikethrough", "table"])
    parser.add_render_rule("s_open", _deleted)
    parser.add_render_rule("s_close", _deleted)
    for add in (
        *(bound_links, add_lists, add_quotes, add_tables, add_text_marks, add_emphasis),
        *(add_bare_links, add_channel_links, add_code_blocks, add_containers, add_emoji),
        *(add_formulas, add_images, add_mentions, add_times),
        # These change texts that were parsed, in this order.
        *(add_host_names, add_pattern_links, add_link_targets, add_emoticons, add_typed_emoji),
        # It shows what links point to, once they have their final address.
        add_previews,
    ):
        add(parser)
    add_budget(parser)
    return parser


def _deleted(
    _renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    _options: OptionsDict,
    _env: EnvType,
) -> str:
    """Clients expect `del` for struck text."""
    return "<del>" if tokens[index].nesting == 1 else "</del>"


_parser = _build_parser()
# The parser builds tables of rules and of characters in addresses on first use, which several
# threads must not do at once.
parse("<https://example.com>", Environment(EMPTY_DIRECTORY))
