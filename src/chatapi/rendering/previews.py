"""Shows uploaded images, videos and sound after the paragraph that links them, or in their place.

`[cat](/user_uploads/...)` gets a preview after its paragraph, `![cat](/user_uploads/...)` becomes
the image itself. Only files that the directory lists are shown; nothing is loaded from elsewhere.
While a thumbnail is being drawn, a placeholder stands for it (`placeholders.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chatapi.rendering.images import IMAGE
from chatapi.rendering.link_targets import WITHOUT_TEXT
from chatapi.rendering.uploaded_media import UPLOADS, UploadedMedia

_PREVIEW = "preview"
_HIDING = frozenset({"blockquote_open", "blockquote_close", "table_open", "table_close"})
"""Blocks without previews: what they contain is shown elsewhere, or has no room for one."""


def add_previews(parser: MarkdownIt) -> None:
    parser.add_render_rule(_PREVIEW, _write_preview)


def _write_preview(
    _renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    _options: OptionsDict,
    _env: EnvType,
) -> str:
    return tokens[index].content


def insert_previews(tokens: Sequence[Token], media: Mapping[str, UploadedMedia]) -> list[Token]:
    """The tokens of a text with the files it links; links with a preview below them remain."""
    out: list[Token] = []
    depth = 0
    waiting: dict[str, str] = {}
    for token in tokens:
        out.append(token)
        if token.type in _HIDING:
            depth += token.nesting
        if token.type == "inline" and token.children and depth == 0:
            token.children = list(_with_media_in_place(token.children, media))
            waiting |= _previews_below(token.children, media)
        elif token.nesting == -1 and waiting:
            out += [_token(html_below) for html_below in waiting.values()]
            waiting = {}
    return out


def _previews_below(
    children: Sequence[Token], media: Mapping[str, UploadedMedia]
) -> dict[str, str]:
    """What is shown after the block because of its links, each file once."""
    linked = [_find(child, media) for child in children if child.type == "link_open"]
    shown = {file.path: file.html_below() for file in linked if file is not None}
    return {path: html_below for path, html_below in shown.items() if html_below is not None}


def _with_media_in_place(
    children: Sequence[Token], media: Mapping[str, UploadedMedia]
) -> Iterator[Token]:
    """Puts an image or a player in place of each link that was written as an image."""
    file: UploadedMedia | None = None
    replaced: list[Token] = []
    for child in children:
        if child.type == "link_open" and IMAGE in child.meta and file is None:
            file = _find(child, media)
        if file is None:
            yield child
            continue
        replaced.append(child)
        if child.type == "link_close":
            shown = file.html_in_place(_text_of_link(replaced))
            yield from replaced if shown is None else [_token(shown)]
            file, replaced = None, []


def _text_of_link(tokens: Sequence[Token]) -> str:
    return "" if WITHOUT_TEXT in tokens[0].meta else "".join(token.content for token in tokens)


def _find(link: Token, media: Mapping[str, UploadedMedia]) -> UploadedMedia | None:
    href = str(link.attrs.get("href", ""))
    if not href.startswith((UPLOADS, UPLOADS[1:])):
        return None
    return media.get(unquote(href.removeprefix("/").removeprefix(UPLOADS[1:])))


def _token(content: str) -> Token:
    token = Token(_PREVIEW, "", 0)
    token.content = content
    return token
