"""`*emphasis*`, `**strong**` and `~~struck~~`, as existing clients know them.

They differ from CommonMark: marks pair only within a line; `**` and `~~` need nothing but some text
between them, so that `**Note:**this` is strong in any script; a single `*` needs text on its inner
side; and of three asterisks the outer two are strong.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, link_pairs
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

_STAR = ord("*")
_RUN = {"*": re.compile(r"\*+"), "~": re.compile(r"~+")}
_TEXT_AHEAD = {"*": re.compile(r"[^\S\n]*[^\s*]"), "~": re.compile(r"[^\S\n]*[^\s~]")}
_BREAKS = frozenset({"softbreak", "hardbreak"})
_NEXT_LINE = 0x100
"""Added to the markers of a line for each line before it, so that they match only each other."""


def add_emphasis(parser: MarkdownIt) -> None:
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.inline.ruler.at("strikethrough", _strikethrough)
    parser.inline.ruler2.at("balance_pairs", _pair_within_lines)
    parser.inline.ruler2.at("emphasis", _write_emphasis)


def _emphasis(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    """Underscores are part of names far more often than they are markup."""
    if silent or state.src[state.pos] != "*":
        return False
    run, can_open, can_close = _scan(state, "*")
    for _ in range(run):
        _push_delimiter(state, "*", run, can_open=can_open, can_close=can_close)
    state.pos += run
    return True


def _strikethrough(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    if silent or not state.src.startswith("~~", state.pos):
        return False
    run, can_open, can_close = _scan(state, "~")
    if run == len("~~"):
        # Without a length, the parser's rule about runs of three does not apply.
        _push_delimiter(state, "~~", 0, can_open=can_open, can_close=can_close)
    else:
        state.push("text", "", 0).content = "~" * run
    state.pos += run
    return True


def _push_delimiter(
    state: StateInline, text: str, length: int, *, can_open: bool, can_close: bool
) -> None:
    state.push("text", "", 0).content = text
    state.delimiters.append(
        Delimiter(
            marker=ord(text[0]),
            length=length,
            token=len(state.tokens) - 1,
            end=-1,
            open=can_open,
            close=can_close,
        )
    )


def _scan(state: StateInline, mark: str) -> tuple[int, bool, bool]:
    """The length of the run of marks here, and whether it can open and close."""
    found = _RUN[mark].match(state.src, state.pos, state.posMax)
    if found is None:
        raise RuntimeError("called where there is no mark")
    start, end = found.span()
    before = state.src[start - 1] if start else "\n"
    after = state.src[end] if end < state.posMax else "\n"
    if end - start == 1:
        return 1, not after.isspace(), not before.isspace()
    can_open = _TEXT_AHEAD[mark].match(state.src, end, state.posMax) is not None
    return end - start, can_open, _has_text_behind(state.src, start, mark)


def _has_text_behind(text: str, position: int, mark: str) -> bool:
    position -= 1
    if position >= 0 and not text[position].isspace():
        # Also a mark, which is then the end of a mention.
        return True
    while position >= 0 and text[position].isspace() and text[position] != "\n":
        position -= 1
    return position >= 0 and text[position] not in {"\n", mark}


def _pair_within_lines(state: StateInline) -> None:
    breaks = [number for number, token in enumerate(state.tokens) if token.type in _BREAKS]
    if not breaks:
        link_pairs(state)
        return
    for delimiters in _delimiters_of(state):
        for delimiter in delimiters:
            delimiter.marker += _NEXT_LINE * bisect(breaks, delimiter.token)
    link_pairs(state)
    for delimiters in _delimiters_of(state):
        for delimiter in delimiters:
            delimiter.marker %= _NEXT_LINE


def _delimiters_of(state: StateInline) -> Iterator[Sequence[Delimiter]]:
    """Those of the text, and those of each link in it."""
    yield state.delimiters
    for meta in state.tokens_meta:
        if meta and "delimiters" in meta:
            yield meta["delimiters"]


def _write_emphasis(state: StateInline) -> None:
    for delimiters in _delimiters_of(state):
        _write_pairs(state.tokens, delimiters)


def _write_pairs(tokens: list[Token], delimiters: Sequence[Delimiter]) -> None:
    number = 0
    while number < len(delimiters):
        start = delimiters[number]
        number += 1
        if start.marker != _STAR or start.end == -1:
            continue
        end = delimiters[start.end]
        # Two pairs of marks that touch each other, on both sides, are one pair of two marks.
        is_strong = (
            number < len(delimiters)
            and delimiters[number].end == start.end - 1
            and delimiters[number].token == start.token + 1
            and delimiters[start.end - 1].token == end.token - 1
        )
        _make_tag(tokens[start.token], 1, is_strong=is_strong)
        _make_tag(tokens[end.token], -1, is_strong=is_strong)
        if is_strong:
            tokens[start.token + 1].content = tokens[end.token - 1].content = ""
            number += 1


def _make_tag(token: Token, nesting: Literal[-1, 1], *, is_strong: bool) -> None:
    tag = "strong" if is_strong else "em"
    token.type = f"{tag}_open" if nesting == 1 else f"{tag}_close"
    token.tag, token.nesting, token.content = tag, nesting, ""
    token.markup = "**" if is_strong else "*"
