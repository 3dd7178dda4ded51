"""Turns matches of a realm's linkifiers in running text into links."""

from collections import deque
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from chatapi.rendering.environment import environment_of
from chatapi.rendering.linkifiers import FoundLink
from chatapi.rendering.text_tokens import element_tokens, running_texts, text_token


def add_pattern_links(parser: MarkdownIt) -> None:
    """Added last, so that code and links are not searched."""
    parser.core.ruler.push("pattern_links", _link_patterns)


def _link_patterns(state: StateCore) -> None:
    linkifiers = environment_of(state.env).directory.linkifiers
    if not linkifiers:
        return
    inlines = [token for token in state.tokens if token.children]
    texts = [text for inline in inlines for text in running_texts(inline.children or ())]
    # Search all texts at once, each on its own line: a search costs more than a longer text.
    contents = [text.content.encode() for text in texts]
    links = linkifiers.find(b"\n".join(contents))
    if not links:
        return
    pieces: dict[int, list[Token]] = {}
    waiting = deque(links)
    start = 0
    for text, content in zip(texts, contents, strict=True):
        end = start + len(content)
        inside: list[FoundLink] = []
        while waiting and waiting[0].end <= end:
            inside.append(waiting.popleft())
        if inside:
            pieces[id(text)] = list(_split(text, content, inside, start))
        start = end + 1
    for inline in inlines:
        inline.children = [
            piece for token in inline.children or () for piece in pieces.get(id(token), [token])
        ]


def _split(text: Token, content: bytes, links: Sequence[FoundLink], start: int) -> Iterator[Token]:
    place = 0
    for link in links:
        yield text_token(text, content[place : link.start - start].decode())
        yield from element_tokens(text, "link", "a", {"href": link.url}, link.text)
        place = link.end - start
    yield text_token(text, content[place:].decode())
