"""`![cat](address)` is a link: loading the image would reveal readers to a foreign server."""

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, link

from chatapi.rendering.budget import spend_link

IMAGE = "image"
"""Marks links that were written as images."""


def add_images(parser: MarkdownIt) -> None:
    parser.inline.ruler.at("image", _image)


def _image(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    # Not while the parser looks for the `]` of a link: it must find the link in here instead,
    # because a link inside of a link would end it.
    if silent or not state.src.startswith("![", state.pos, state.posMax):
        return False
    spend_link(state.env)
    before = len(state.tokens)
    state.pos += 1
    if not link(state, False):
        state.pos -= 1
        return False
    opening = next(token for token in state.tokens[before:] if token.type == "link_open")
    opening.meta[IMAGE] = True
    return True
