"""Fences named `quote` or `spoiler`: they contain text, not code, and may contain other fences."""

import re
from typing import Literal, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from chatapi.rendering.bounds import is_too_deep

_FENCE = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)")
_CONTAINER = re.compile(r"\{?\.?(?P<kind>quoted?|spoiler)(?:[ \t]+(?P<header>.*?))?\}?")


class _Fence(NamedTuple):
    mark: str
    info: str

    @property
    def container(self) -> re.Match[str] | None:
        return _CONTAINER.fullmatch(self.info)

    def closes(self, other: "_Fence") -> bool:
        return not self.info and self.mark.startswith(other.mark)


def add_containers(parser: MarkdownIt) -> None:
    """Added before code fences, which look the same."""
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("fence", "container", _container, {"alt": ends})


def _container(state: StateBlock, first: int, end: int, silent: bool) -> bool:  # noqa: FBT001 (the parser's protocol)
    fence = None if is_too_deep(state) else _read_fence(state, first)
    container = fence.container if fence else None
    if fence is None or container is None:
        return False
    if silent:
        return True
    after_content, after = _find_end(state, first, end, fence)
    if container["kind"] != "spoiler":
        state.push("blockquote_open", "blockquote", 1)
        _push_paragraph(state, container["header"] or "")
        _parse_inside(state, first + 1, after_content)
        state.push("blockquote_close", "blockquote", -1)
    else:
        _push_spoiler_header(state, container["header"] or "")
        _parse_inside(state, first + 1, after_content)
        _push_without_newline(state, "spoiler_content_close", -1)
        state.push("spoiler_close", "div", -1)
    state.line = after
    return True


def _push_spoiler_header(state: StateBlock, header: str) -> None:
    _push_without_newline(state, "spoiler_open", 1).attrs = {"class": "spoiler-block"}
    state.push("spoiler_header_open", "div", 1).attrs = {"class": "spoiler-header"}
    _push_paragraph(state, header)
    _push_without_newline(state, "spoiler_header_close", -1)
    content = state.push("spoiler_content_open", "div", 1)
    content.attrs = {"class": "spoiler-content", "aria-hidden": "true"}


def _push_without_newline(state: StateBlock, kind: str, nesting: Literal[1, -1]) -> Token:
    """A spoiler has exactly two child nodes: a newline would be a third one."""
    token = state.push(kind, "div", nesting)
    token.block = False
    return token


def _push_paragraph(state: StateBlock, text: str) -> None:
    if text:
        state.push("paragraph_open", "p", 1)
        state.push("inline", "", 0).content = text
        state.push("paragraph_close", "p", -1)


def _parse_inside(state: StateBlock, first: int, end: int) -> None:
    line_max, parent_type = state.lineMax, state.parentType
    state.lineMax, state.parentType = end, "container"
    state.md.block.tokenize(state, first, end)
    state.lineMax, state.parentType = line_max, parent_type


def _find_end(state: StateBlock, first: int, end: int, outermost: _Fence) -> tuple[int, int]:
    """Returns the line after the content of a fence, and the line after the fence."""
    open_fences = [outermost]
    for line in range(first + 1, end):
        if not state.isEmpty(line) and state.sCount[line] < state.blkIndent:
            return line, line
        fence = _read_fence(state, line)
        if fence is None:
            continue
        innermost = open_fences[-1]
        if fence.closes(innermost):
            open_fences.pop()
        elif innermost.container:
            open_fences.append(fence)
        if not open_fences:
            return line, line + 1
    return end, end


def _read_fence(state: StateBlock, line: int) -> _Fence | None:
    if state.is_code_block(line):
        return None
    text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    found = _FENCE.fullmatch(text)
    return _Fence(found["mark"], found["info"].strip()) if found else None
