"""Shows uploaded images in messages: after the paragraph that links them, or where they stand.

`[cat](/user_uploads/...)` gets a preview after its paragraph, `![cat](/user_uploads/...)` becomes
the image itself. Only images that the directory lists are shown; nothing is loaded from elsewhere.
While a thumbnail is being drawn, a placeholder stands for it, which `finish_pictures` replaces in
the stored HTML.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from chatapi.rendering.images import IMAGE

UPLOADS = "/user_uploads/"
"""The prefix of the addresses of uploaded files."""
MAX_PICTURES = 24
"""In one message; later ones stay links."""
LOADING_URL = "/docs/assets/loader.svg"
LOADING_CLASS = "image-loading-placeholder"
_INLINE_CLASS = "inline-image"
_PICTURE = "picture"
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


@dataclass(frozen=True, slots=True)
class UploadedPicture:
    """An uploaded image, as far as it is shown."""

    path: str
    """Without the prefix, and without escapes."""
    name: str
    content_type: str
    width: int
    height: int
    is_ready: bool
    """Whether there is a thumbnail."""
    thumbnail: str
    """The name of the thumbnail's format."""
    is_animated: bool = False

    def attributes(self) -> dict[str, str]:
        """The attributes of its `img` element."""
        values = {
            "data-original-content-type": self.content_type,
            "data-original-dimensions": f"{self.width}x{self.height}",
        }
        if not self.is_ready:
            return {"class": LOADING_CLASS, **values, "src": LOADING_URL}
        if self.is_animated:
            values["data-animated"] = "true"
        return {**values, "src": f"{UPLOADS}thumbnail/{quote(self.path)}/{self.thumbnail}"}


def address_of(path: str) -> str:
    """The address of a file as it stands in HTML; it needs no further escapes there."""
    return UPLOADS + quote(path)


def find_upload_paths(content: str) -> list[str]:
    """The paths of uploaded files that a text might link, without the prefix and escapes."""
    if UPLOADS not in content:
        return []
    found = dict.fromkeys(unquote(match[1]) for match in _ADDRESS.finditer(content))
    return list(found)[:MAX_PICTURES]


def add_previews(parser: MarkdownIt) -> None:
    parser.add_render_rule(_PICTURE, _write_picture)


def _write_picture(
    _renderer: RendererHTML,
    tokens: Sequence[Token],
    index: int,
    _options: OptionsDict,
    _env: EnvType,
) -> str:
    return tokens[index].content


def insert_pictures(
    tokens: Sequence[Token], pictures: Mapping[str, UploadedPicture]
) -> list[Token]:
    """The tokens of a text with its pictures; the tokens of links to them remain."""
    out: list[Token] = []
    depth = 0
    waiting: dict[str, UploadedPicture] = {}
    for token in tokens:
        out.append(token)
        if token.type in _HIDING:
            depth += token.nesting
        if token.type == "inline" and token.children and depth == 0:
            waiting |= _linked(token.children, pictures)
            token.children = list(_with_inline_pictures(token.children, pictures))
        elif token.nesting == -1 and waiting:
            out += [_token(_block_html(picture)) for picture in waiting.values()]
            waiting = {}
    return out


def _linked(
    children: Sequence[Token], pictures: Mapping[str, UploadedPicture]
) -> dict[str, UploadedPicture]:
    """The pictures of plain links, each once."""
    found = [
        _find(child, pictures)
        for child in children
        if child.type == "link_open" and IMAGE not in child.meta
    ]
    return {picture.path: picture for picture in found if picture is not None}


def _with_inline_pictures(
    children: Sequence[Token], pictures: Mapping[str, UploadedPicture]
) -> Iterator[Token]:
    """Puts an image in place of each link that was written as one."""
    picture: UploadedPicture | None = None
    text = ""
    for child in children:
        if child.type == "link_open" and IMAGE in child.meta and picture is None:
            picture = _find(child, pictures)
            text = ""
        if picture is None:
            yield child
        elif child.type == "link_close":
            yield _token(_inline_html(picture, text))
            picture = None
        else:
            text += child.content


def _find(link: Token, pictures: Mapping[str, UploadedPicture]) -> UploadedPicture | None:
    href = str(link.attrs.get("href", ""))
    if not href.startswith((UPLOADS, UPLOADS[1:])):
        return None
    return pictures.get(unquote(href.removeprefix("/").removeprefix(UPLOADS[1:])))


def _token(content: str) -> Token:
    token = Token(_PICTURE, "", 0)
    token.content = content
    return token


def _block_html(picture: UploadedPicture) -> str:
    link = _tag("a", {"href": address_of(picture.path), "title": picture.name})
    image = _tag("img", picture.attributes())
    return f'<div class="message_inline_image">{link}{image}</a></div>\n'


def _inline_html(picture: UploadedPicture, text: str) -> str:
    attributes = picture.attributes()
    classes = f"{_INLINE_CLASS} {attributes.get('class', '')}".strip()
    source = {"data-original-src": address_of(picture.path)}
    return _tag("img", {"alt": text, **attributes, "class": classes, **source})


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    values = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
    return f"<{name}{values}>"


def finish_pictures(rendered: str, path: str, picture: UploadedPicture | None) -> str:
    """Replace the placeholders of a file in stored HTML: by its picture, or else by links."""
    address = address_of(path)

    def finish_block(found: re.Match[str]) -> str:
        link, image = _read_attributes(found["link"]), _read_attributes(found["img"])
        if link.get("href") != address or image.get("class") != LOADING_CLASS:
            return found[0]
        if picture is None:
            return ""
        shown = _tag("img", picture.attributes())
        return f'<div class="message_inline_image"><a{found["link"]}>{shown}</a></div>\n'

    def finish_inline(found: re.Match[str]) -> str:
        image = _read_attributes(found["img"])
        is_meant = image.get("data-original-src") == address and LOADING_CLASS in image["class"]
        if not is_meant:
            return found[0]
        alt = image.get("alt", "")
        if picture is not None:
            return _inline_html(picture, alt)
        return (
            f'<a href="{address}" rel="noopener noreferrer nofollow">{html.escape(alt or path)}</a>'
        )

    finished = _BLOCK.sub(finish_block, rendered)
    return _INLINE.sub(finish_inline, finished).rstrip("\n")


def _read_attributes(text: str) -> dict[str, str]:
    return {name: html.unescape(value) for name, value in _ATTRIBUTE.findall(text)}
