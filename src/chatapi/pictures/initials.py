"""Draws initials on a colour: the picture of everyone who has uploaded none."""

from __future__ import annotations

import colorsys
import io
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

_LIGHTNESS = 0.42
_SATURATION = 0.5
"""Dark enough for white letters on every hue."""
_WHITE = (255, 255, 255)
_MAX_PICTURES = 1_000
"""Kept in memory, of a few kilobytes each."""


@lru_cache(_MAX_PICTURES)
def draw_initials(initials: str, hue: int, size: int) -> bytes:
    """A PNG of one or two Latin letters or digits; without any, a head and shoulders.

    Call it in a thread: it takes some milliseconds, the first time more.
    """
    # Imported here: it takes megabytes that a server without drawn pictures does not need.
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415

    red, green, blue = colorsys.hls_to_rgb(hue / 360, _LIGHTNESS, _SATURATION)
    colour = (round(red * 255), round(green * 255), round(blue * 255))
    image = Image.new("RGB", (size, size), colour)
    canvas = ImageDraw.Draw(image)
    if initials:
        # The library's own font, which has these letters only.
        font = ImageFont.load_default(size * 0.45)
        canvas.text((size / 2, size / 2), initials, _WHITE, font, anchor="mm")
    else:
        _draw_figure(canvas, size)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _draw_figure(canvas: ImageDraw, size: int) -> None:
    canvas.ellipse([size * 0.34, size * 0.2, size * 0.66, size * 0.52], _WHITE)
    canvas.ellipse([size * 0.18, size * 0.6, size * 0.82, size * 1.24], _WHITE)
