"""Completes links after they were parsed: their targets on this server, and empty texts."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from chatapi.rendering.environment import environment_of
from chatapi.rendering.sanitize import sanitize_html
from chatapi.rendering.text_tokens import text_token

WITHOUT_TEXT = "without_text"
"""Marks links that show their target because they were written without a text."""
_WITHOUT_TARGET = re.compile(r'<a (?:title="[^"]*" )?rel=')
_MAYBE_WITHOUT_TEXT = re.compile(r"\[\s*\]\(")


def add_link_targets(parser: MarkdownIt) -> None:
    """Added after all rules that create links."""
    parser.core.ruler.push("own_links", _make_own_links_relative)
    parser.core.ruler.push("empty_links", _show_targets)


def lacks_targets(html: str) -> bool:
    """Whether links lost their target to the sanitizer, for example `http://[`."""
    return _WITHOUT_TARGET.search(html) is not None


def show_refused_links_as_text(tokens: Sequence[Token]) -> None:
    """Turn links whose target is no address into the text they were written as."""
    for inline in tokens:
        children = inline.children or []
        for number, token in enumerate(children):
            if token.type == "link_open" and _is_refused(str(token.attrs["href"])):
                closing = next(each for each in children[number:] if each.type == "link_close")
                text = children[number + 1].content
                is_bare = text == token.attrs["href"]
                _make_text(closing, "" if is_bare else f"]({token.attrs['href']})")
                _make_text(token, "" if is_bare else "[")


def _is_refused(target: str) -> bool:
    return lacks_targets(sanitize_html(f'<a href="{escape(target)}"></a>'))


def _make_text(token: Token, content: str) -> None:
    token.type, token.tag, token.nesting, token.attrs = "text", "", 0, {}
    token.content = content


def _make_own_links_relative(state: StateCore) -> None:
    """Links to this server open in the client that shows the message."""
    own_url = environment_of(state.env).directory.own_url
    if not own_url or own_url not in state.src:
        return
    own_places = (f"{own_url}/#", f"{own_url}/user_uploads/")
    for link in _links(state):
        target = str(link.attrs["href"])
        if target.startswith(own_places):
            link.attrs["href"] = target.removeprefix(f"{own_url}/")


def _show_targets(state: StateCore) -> None:
    """A link without text could not be seen or clicked."""
    if not _MAYBE_WITHOUT_TEXT.search(state.src):
        return
    for inline in state.tokens:
        children = inline.children or []
        for number in range(len(children) - 2, -1, -1):
            if children[number].type == "link_open":
                _show_target(state, children, number)


def _show_target(state: StateCore, tokens: list[Token], opening: int) -> None:
    closing = opening + 1
    while tokens[closing].type == "text" and not tokens[closing].content.strip():
        closing += 1
    if tokens[closing].type == "link_close":
        target = state.md.normalizeLinkText(str(tokens[opening].attrs["href"]))
        tokens[opening].meta[WITHOUT_TEXT] = True
        tokens[opening + 1 : closing] = [text_token(tokens[opening], target, deeper=1)]


def _links(state: StateCore) -> Iterator[Token]:
    for inline in state.tokens:
        yield from (token for token in inline.children or () if token.type == "link_open")
