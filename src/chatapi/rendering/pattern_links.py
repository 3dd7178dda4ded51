"""Turns matches of a realm's linkifiers in running text into links."""

from collections import deque
from collections.abc import Iterator, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from chatapi.rendering.environment import environment_of
from chatapi.rendering.linkifiers import FoundLink

_FORMATTING = frozenset(
    f"{kind}_{end}" for kind in ("em", "strong", "s") for end in ("open", "close")
)
"""Text in these elements is running text; links, mentions and the like are excluded."""


def add_pattern_links(parser: MarkdownIt) -> None:
    """Added last, so that code and links are not searched."""
    parser.core.ruler.push("pattern_links", _link_patterns)


def _link_patterns(state: StateCore) -> None:
    linkifiers = environment_of(state.env).directory.linkifiers
    if not linkifiers:
        return
    inlines = [token for token in state.tokens if token.children]
    texts = [text for inline in inlines for text in _running_texts(inline.children or ())]
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


def _running_texts(tokens: Sequence[Token]) -> Iterator[Token]:
    depth = 0
    for token in tokens:
        if token.type not in _FORMATTING:
            depth += token.nesting
        if token.type == "text" and depth == 0:
            yield token


def _split(text: Token, content: bytes, links: Sequence[FoundLink], start: int) -> Iterator[Token]:
    place = 0
    for link in links:
        yield _text(text, content[place : link.start - start].decode())
        yield Token("link_open", "a", 1, attrs={"href": link.url}, level=text.level)
        yield _text(text, link.text, deeper=1)
        yield Token("link_close", "a", -1, level=text.level)
        place = link.end - start
    yield _text(text, content[place:].decode())


def _text(origin: Token, content: str, deeper: int = 0) -> Token:
    return Token("text", "", 0, content=content, level=origin.level + deeper)
