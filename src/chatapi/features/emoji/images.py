"""Images of custom emoji: validated, and redrawn in one fixed size.

Nothing of the uploaded file is served as it was uploaded. The size of a decoded image is checked
before it is decoded.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from chatapi.core.errors import BadRequestError

if TYPE_CHECKING:
    from PIL.Image import Image

SIZE = 64
MAX_BYTES = 5 * 1024 * 1024
_MAX_PIXELS = 4096 * 4096
"""Limit for all frames of a file together."""
_MAX_FRAMES = 200
_FORMATS = ("PNG", "GIF", "JPEG", "WEBP")
_SHORTEST_FRAME = 20
_USUAL_FRAME = 100
"""In milliseconds."""


@dataclass(frozen=True)
class EmojiImage:
    """The bytes of an emoji as it is served."""

    content: bytes
    extension: str
    still: bytes | None
    """The first frame of an animated emoji, as PNG."""


def draw_emoji(file: IO[bytes]) -> EmojiImage:
    """Validate and redraw an image. Takes long: call it in a thread."""
    # Imported here: it takes megabytes that a server without custom emoji does not need.
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415

    file.seek(0)
    try:
        with Image.open(file, formats=_FORMATS) as image:
            return _draw(image)
    except UnidentifiedImageError:
        raise BadRequestError("Invalid image format: use PNG, GIF, JPEG or WebP") from None
    except (
        Image.DecompressionBombError,
        Image.DecompressionBombWarning,
        EOFError,
        OSError,
        SyntaxError,
        ValueError,
    ):
        # Which exception the library raises for a broken file depends on the format.
        raise BadRequestError("The image could not be read") from None


def _draw(image: Image) -> EmojiImage:
    if image.width * image.height > _MAX_PIXELS:
        raise BadRequestError("The image has too many pixels")
    if not getattr(image, "is_animated", False):
        return EmojiImage(_encode_still(_fit(image)), "png", None)
    frames, durations = _read_frames(image)
    out = io.BytesIO()
    frames[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=durations,
        loop=0,
        # Each frame is a complete image: the previous one has to be cleared.
        disposal=2,
    )
    return EmojiImage(out.getvalue(), "gif", _encode_still(frames[0]))


def _read_frames(image: Image) -> tuple[list[Image], list[int]]:
    """Reads frames one by one, since a file does not declare how many it has."""
    frames: list[Image] = []
    durations: list[int] = []
    while True:
        try:
            image.seek(len(frames))
        except EOFError:
            return frames, durations
        pixels = (len(frames) + 1) * image.width * image.height
        if len(frames) >= _MAX_FRAMES or pixels > _MAX_PIXELS:
            raise BadRequestError("The animation is too long or too large")
        frames.append(_fit(image))
        duration = int(image.info.get("duration") or _USUAL_FRAME)
        durations.append(max(duration, _SHORTEST_FRAME))


def _fit(image: Image) -> Image:
    """Centred in a square, uncropped and upright."""
    from PIL import ImageOps  # noqa: PLC0415 (see draw_emoji)

    upright = ImageOps.exif_transpose(image).convert("RGBA")
    return ImageOps.pad(upright, (SIZE, SIZE), color=(0, 0, 0, 0))


def _encode_still(image: Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
