"""Pictures of the demo, drawn here."""

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

_PAPER = (250, 248, 242)
_INK = (60, 60, 70)
_COLOURS = ((42, 111, 151), (82, 164, 118), (222, 158, 54), (191, 78, 78))


def draw_chart() -> bytes:
    """Bars on paper, as PNG."""

    def draw(canvas: "ImageDraw") -> None:
        canvas.line([(60, 40), (60, 320), (600, 320)], _INK, 3)
        for number, height in enumerate((120, 180, 150, 240)):
            left = 100 + number * 125
            canvas.rectangle([left, 320 - height, left + 80, 318], _COLOURS[number])

    return _draw((640, 360), draw)


def draw_crate() -> bytes:
    """A wooden box, for an emoji."""

    def draw(canvas: "ImageDraw") -> None:
        canvas.rectangle([8, 14, 56, 54], (196, 148, 90), _INK, 3)
        for height in (26, 40):
            canvas.line([(8, height), (56, height)], _INK, 2)
        canvas.line([(8, 14), (56, 54)], _INK, 3)

    return _draw((64, 64), draw)


def draw_face(number: int) -> bytes:
    """A simple portrait; each number has colours of its own."""
    shirt, hair = _COLOURS[number % len(_COLOURS)], _COLOURS[(number + 1) % len(_COLOURS)]

    def draw(canvas: "ImageDraw") -> None:
        canvas.ellipse([40, 190, 216, 380], shirt)
        canvas.ellipse([68, 40, 188, 190], hair)
        canvas.ellipse([78, 66, 178, 192], (232, 196, 164))
        for eye in (108, 140):
            canvas.ellipse([eye, 116, eye + 10, 126], _INK)
        canvas.arc([104, 130, 152, 168], 20, 160, _INK, 4)

    return _draw((256, 256), draw)


def _draw(size: Sequence[int], draw: "Callable[[ImageDraw], None]") -> bytes:
    # Imported here: it takes megabytes that other commands do not need.
    from PIL import Image, ImageDraw  # noqa: PLC0415

    width, height = size
    image = Image.new("RGB", (width, height), _PAPER)
    draw(ImageDraw.Draw(image))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
