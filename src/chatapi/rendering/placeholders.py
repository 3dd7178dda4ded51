"""Placeholders of thumbnails in stored HTML, while these are being drawn."""

import html
import re
from collections.abc import Callable, Collection, Mapping
from urllib.parse import unquote

from chatapi.rendering.uploaded_media import (
    LOADING_CLASS,
    UploadedPicture,
    address_of,
    open_tag,
)

_ATTRIBUTES = r'(?: [a-z-]+="[^"]*")*'
_BLOCK = re.compile(
    rf'<div class="message_inline_image"><a(?P<link>{_ATTRIBUTES})>'
    rf"<img(?P<img>{_ATTRIBUTES})></a></div>\n?"
)
_INLINE = re.compile(rf"<img(?P<img>{_ATTRIBUTES})>")
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')


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
