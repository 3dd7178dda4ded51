"""Pictures of custom emoji: checked, and drawn anew in the one size there is.

Nothing of what was uploaded is passed on as it came. How much a picture may unfold to is bounded
before it is unfolded.
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
"""Of all pictures of a file together."""
_MAX_FRAMES = 200
_FORMATS = ("PNG", "GIF", "JPEG", "WEBP")
_SHORTEST_FRAME = 20
_USUAL_FRAME = 100
"""In milliseconds."""


@dataclass(frozen=True)
class EmojiImage:
    """The bytes of an emoji as it is shown."""

    content: bytes
    extension: str
    still: bytes | None
    """The first picture of one that moves, as PNG."""


def draw_emoji(file: IO[bytes]) -> EmojiImage:
    """Takes a while: call it in a thread."""
    # The library takes megabytes that a server without custom emoji can do without.
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
        # The library's way to say that a file is broken depends on the format.
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
        # Each frame is a whole picture: the one before it has to go.
        disposal=2,
    )
    return EmojiImage(out.getvalue(), "gif", _encode_still(frames[0]))


def _read_frames(image: Image) -> tuple[list[Image], list[int]]:
    """One after the other, since a file does not say beforehand how many it has."""
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
    """In the middle of a square, whole and upright."""
    from PIL import ImageOps  # noqa: PLC0415 (see draw_emoji)

    upright = ImageOps.exif_transpose(image).convert("RGBA")
    return ImageOps.pad(upright, (SIZE, SIZE), color=(0, 0, 0, 0))


def _encode_still(image: Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
