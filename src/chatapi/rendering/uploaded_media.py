"""Uploaded images, videos and sound, and the HTML in which existing clients expect them."""

import html
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import quote

from msgspec import Struct

UPLOADS = "/user_uploads/"
"""The prefix of the addresses of uploaded files."""
LOADING_URL = "/docs/assets/loader.svg"
LOADING_CLASS = "image-loading-placeholder"
_INLINE_CLASS = "inline-image"


class UploadedMedia(Protocol):
    """An uploaded file that messages show."""

    @property
    def path(self) -> str:
        """Without the prefix, and without escapes."""

    def html_below(self) -> str | None:
        """What follows the block that links it; None if only the link is shown."""

    def html_in_place(self, text: str) -> str | None:
        """What replaces a link that was written as an image; None if the link stays."""


class UploadedPicture(Struct, frozen=True):
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

    def html_below(self) -> str:
        link = open_tag("a", {"href": address_of(self.path), "title": self.name})
        image = open_tag("img", self.attributes())
        return f'<div class="message_inline_image">{link}{image}</a></div>\n'

    def html_in_place(self, text: str) -> str:
        attributes = self.attributes()
        classes = f"{_INLINE_CLASS} {attributes.get('class', '')}".strip()
        source = {"data-original-src": address_of(self.path)}
        return open_tag("img", {"alt": text, **attributes, "class": classes, **source})


class UploadedVideo(Struct, frozen=True):
    """An uploaded video: any link to it gets a player after the block it stands in."""

    path: str
    """Without the prefix, and without escapes."""
    name: str

    def html_below(self) -> str:
        address = address_of(self.path)
        link = open_tag("a", {"href": address, "title": self.name})
        video = open_tag("video", {"preload": "metadata", "src": address})
        classes = "message_inline_image message_inline_video"
        return f'<div class="{classes}">{link}{video}</video></a></div>\n'

    def html_in_place(self, text: str) -> None:
        """Clients know videos only as blocks."""


class UploadedSound(Struct, frozen=True):
    """An uploaded sound file: written as an image, it becomes a player; other links stay links."""

    path: str
    """Without the prefix, and without escapes."""
    name: str

    def html_below(self) -> None:
        """Clients know sound only inside of a line."""

    def html_in_place(self, text: str) -> str:
        attributes = {"preload": "metadata", "src": address_of(self.path)}
        player = open_tag("audio", {"controls": "", **attributes, "title": text or self.name})
        return f"{player}</audio>"


def address_of(path: str) -> str:
    """The address of a file as it stands in HTML; it needs no further escapes there."""
    return UPLOADS + quote(path)


def open_tag(name: str, attributes: Mapping[str, str]) -> str:
    values = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
    return f"<{name}{values}>"
