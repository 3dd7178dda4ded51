"""The guides of the docs page: Markdown files beside this module, rendered to HTML once."""

import html
import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from markdown_it.token import Token

_FOLDER = Path(__file__).parent / "guides"
_ORDER = (
    "first-message",
    "bot",
    "event-loop",
    "permissions",
    "errors",
    "rate-limits",
    "versions",
)
"""A guide that is not listed is not shown; a test compares the list with the files."""
_FILE_LINK = re.compile(r"([a-z-]+)\.md(?:#([\w-]+))?")


class Guide(Struct, frozen=True):
    """One guide; its address in the docs page is `#guide/` and its name."""

    name: str
    title: str
    body: str
    """HTML without the title."""

    def article(self) -> str:
        title = html.escape(self.title)
        return (
            f'<article class="guide" id="guide/{self.name}">'
            f'<h1 tabindex="-1">{title}</h1>{self.body}</article>'
        )


def guide_names() -> Sequence[str]:
    """The names of the guides, in their order."""
    return _ORDER


@cache
def read_guides() -> Sequence[Guide]:
    """The guides in the order in which they are meant to be read."""
    return tuple(_read(name) for name in _ORDER)


def _read(name: str) -> Guide:
    # Only now: a server need not load the parser before a user opens the docs page.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    # Without raw HTML: a guide that has some shows it as text.
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    title, *tokens = _without_title(markdown.parse((_FOLDER / f"{name}.md").read_text("utf-8")))
    for heading, text in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", f"guide/{name}/{_slug(text.content)}")
    for token in tokens:
        for part in token.children or ():
            if part.type == "link_open":
                part.attrSet("href", _page_link(str(part.attrGet("href"))))
    return Guide(name, title.content, markdown.renderer.render(tokens, markdown.options, {}))


def _without_title(tokens: "list[Token]") -> "list[Token]":
    """The text of the first heading, then everything below it."""
    opening, text, _closing, *rest = tokens
    if (opening.type, opening.tag) != ("heading_open", "h1"):
        message = "a guide begins with its title"
        raise ValueError(message)
    return [text, *rest]


def _slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def _page_link(link: str) -> str:
    """Links between the files, and to operations, lead to places of the page."""
    if found := _FILE_LINK.fullmatch(link):
        name, section = found.groups()
        return f"#guide/{name}/{section}" if section else f"#guide/{name}"
    return link.removeprefix("/docs") if link.startswith("/docs#") else link
