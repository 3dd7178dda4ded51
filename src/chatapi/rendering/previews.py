"""Shows uploaded images, videos and sound after the paragraph that links them, or in their place.

`[cat](/user_uploads/...)` gets a preview after its paragraph, `![cat](/user_uploads/...)` becomes
the image itself. Only files that the directory lists are shown; nothing is loaded from elsewhere.
While a thumbnail is being drawn, a placeholder stands for it, which `finish_pictures` replaces in
the stored HTML.
"""

import html
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chatapi.rendering.images import IMAGE
from chatapi.rendering.link_targets import WITHOUT_TEXT
from chatapi.rendering.uploaded_media import (
    LOADING_CLASS,
    UPLOADS,
    UploadedMedia,
    UploadedPicture,
    address_of,
    open_tag,
)

MAX_PREVIEWS = 24
"""In one message; later ones stay links."""
_PREVIEW = "preview"
_HIDING = frozenset({"blockquote_open", "blockquote_close", "table_open", "table_close"})
"""Blocks without previews: what they contain is shown elsewhere, or has no room for one."""
_ADDRESS = re.compile(
    rf"{UPLOADS}(\d{{1,18}}/[\w-]{{2}}/[\w-]{{1,100}}/[^\s/()<>\[\]\"'?#`]{{1,300}})"
)
_ATTRIBUTES = r'(?: [a-z-]+="[^"]*")*'
_BLOCK = re.compile(
    rf'<div class="message_inline_image"><a(?P<link>{_ATTRIBUTES})>'
    rf"<img(?P<img>{_ATTRIBUTES})></a></div>\n?"
)
_INLINE = re.compile(rf"<img(?P<img>{_ATTRIBUTES})>")
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')


def find_upload_paths(content: str) -> list[str]:
    """The paths of uploaded files that a text might link, without the prefix and escapes."""
    if UPLOADS not in content:
        return []
    found = dict.fromkeys(unquote(match[1]) for match in _ADDRESS.finditer(content))
    return list(found)[:MAX_PREVIEWS]


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


def finish_pictures(rendered: str, path: str, picture: UploadedPicture | None) -> str:
    """Replace the placeholders of a file in stored HTML: by its picture, or else by links."""
    finished = address_of(path)
    return _replace_placeholders(rendered, picture, lambda address: address == finished)


def without_placeholders(rendered: str, *, but_of: Collection[str] = ()) -> str:
    """Show only links to images whose thumbnails are still being drawn.

    For what nothing updates when that is done: earlier versions, scheduled messages, and files
    that are not among those whose paths are given.
    """
    if LOADING_CLASS not in rendered:
        return rendered
    kept = {address_of(path) for path in but_of}
    return _replace_placeholders(rendered, None, lambda address: address not in kept)


def _replace_placeholders(
    rendered: str, picture: UploadedPicture | None, is_meant: Callable[[str], bool]
) -> str:
    """Replace the placeholders of the files with certain addresses."""

    def finish_block(found: re.Match[str]) -> str:
        link, image = _read_attributes(found["link"]), _read_attributes(found["img"])
        if not (_is_loading(image) and is_meant(link["href"])):
            return found[0]
        if picture is None:
            return ""
        shown = open_tag("img", picture.attributes())
        return f'<div class="message_inline_image"><a{found["link"]}>{shown}</a></div>\n'

    def finish_inline(found: re.Match[str]) -> str:
        image = _read_attributes(found["img"])
        address = image.get("data-original-src")
        if address is None or not (_is_loading(image) and is_meant(address)):
            return found[0]
        alt = image.get("alt", "")
        if picture is not None:
            return picture.html_in_place(alt)
        text = html.escape(alt or unquote(address))
        return f'<a href="{address}" rel="noopener noreferrer nofollow">{text}</a>'

    finished = _BLOCK.sub(finish_block, rendered)
    return _INLINE.sub(finish_inline, finished).rstrip("\n")


def _is_loading(image: Mapping[str, str]) -> bool:
    return LOADING_CLASS in image.get("class", "").split()


def _read_attributes(text: str) -> dict[str, str]:
    return {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(text)}
