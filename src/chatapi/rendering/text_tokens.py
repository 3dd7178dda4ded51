"""Changes texts after they were parsed, without touching code, mentions and other elements."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

MAX_ELEMENTS = 500
"""Of each kind in one message; later ones remain plain text."""

_FORMATTING = frozenset(
    f"{kind}_{end}" for kind in ("em", "strong", "s") for end in ("open", "close")
)
_FORMATTING_AND_LINKS = _FORMATTING | {"link_open", "link_close"}


def running_texts(tokens: Sequence[Token], *, in_links: bool = False) -> Iterator[Token]:
    """The texts outside of all elements except emphasis and the like."""
    ignored = _FORMATTING_AND_LINKS if in_links else _FORMATTING
    depth = 0
    for token in tokens:
        if token.nesting and token.type not in ignored:
            depth += token.nesting
        elif depth == 0 and token.type == "text":
            yield token


class Element(NamedTuple):
    """An element in the place of a part of a text."""

    start: int
    end: int
    kind: str
    tag: str
    attributes: dict[str, str | int | float]
    content: str


def replace_texts(
    state: StateCore, find: Callable[[str], Iterator[Element]], *, in_links: bool = False
) -> None:
    """Replace parts of running texts by the elements that `find` returns for a text, in order."""
    left = MAX_ELEMENTS
    for inline in state.tokens:
        if not inline.children:
            continue
        pieces: dict[int, list[Token]] = {}
        for text in running_texts(inline.children, in_links=in_links):
            if elements := list(islice(find(text.content), left)):
                left -= len(elements)
                pieces[id(text)] = list(_split(text, elements))
        if pieces:
            inline.children = [
                part for token in inline.children for part in pieces.get(id(token), [token])
            ]


def _split(text: Token, elements: Sequence[Element]) -> Iterator[Token]:
    place = 0
    for start, end, kind, tag, attributes, content in elements:
        yield text_token(text, text.content[place:start])
        yield from element_tokens(text, kind, tag, attributes, content)
        place = end
    yield text_token(text, text.content[place:])


def text_token(origin: Token, content: str, deeper: int = 0) -> Token:
    return Token("text", "", 0, content=content, level=origin.level + deeper)


def element_tokens(
    origin: Token, kind: str, tag: str, attributes: dict[str, str | int | float], content: str
) -> list[Token]:
    """An element around a text, in the place of a part of another text."""
    return [
        Token(f"{kind}_open", tag, 1, attrs=attributes, level=origin.level),
        text_token(origin, content, deeper=1),
        Token(f"{kind}_close", tag, -1, level=origin.level),
    ]
