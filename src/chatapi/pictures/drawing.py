"""Draws images with Pillow; runs in the drawing process only.

Nothing of a file is kept as it was uploaded: no metadata, and no bytes behind the image.
"""

import io
from collections.abc import Iterator
from typing import IO

from PIL import ExifTags, Image, ImageOps

from chatapi.pictures.limits import (
    FORMATS,
    MAX_DECLARED_PIXELS,
    MAX_DECODED_PIXELS,
    MAX_FRAMES,
)
from chatapi.pictures.recipes import DrawnPicture, Fit, LongAnimation, Recipe, Variant

_SHORTEST_FRAME = 20
_USUAL_FRAME = 100
"""In milliseconds."""
_ROTATED = frozenset({5, 6, 7, 8})
"""Values of the EXIF orientation that exchange width and height."""
_QUALITY = 80
_EFFORT = 2
"""Of WebP, from 0 to 6: more would take several times as long for a little less size."""
_DIRECT_MODES = frozenset({"L", "LA", "RGB", "RGBA"})


class RefusedPictureError(Exception):
    """The image is beyond a limit; the message says which."""


def draw(file: IO[bytes], recipe: Recipe) -> DrawnPicture:
    """Draw the variants of a recipe; raises whatever the decoder raises for a broken file."""
    # Our own limits apply, and are stricter; the library would only warn.
    Image.MAX_IMAGE_PIXELS = None
    with Image.open(file, formats=FORMATS) as image:
        width, height = image.size
        if width * height > MAX_DECLARED_PIXELS:
            raise RefusedPictureError("The image has too many pixels")
        image.draft("RGB", _largest(recipe))
        if image.width * image.height > MAX_DECODED_PIXELS:
            raise RefusedPictureError("The image has too many pixels")
        orientation = image.getexif().get(ExifTags.Base.Orientation)
        is_animated = bool(getattr(image, "is_animated", False))
        variants = dict(_still_variants(image, recipe))
        if is_animated:
            variants |= _animated_variants(image, recipe)
        return DrawnPicture(
            *((height, width) if orientation in _ROTATED else (width, height)),
            content_type=str(Image.MIME[str(image.format)]),
            is_animated=is_animated,
            variants=variants,
        )


def _largest(recipe: Recipe) -> tuple[int, int]:
    """The size an image must at least be decoded at, however it is rotated."""
    most = max(max(each.width, each.height) for each in recipe.variants)
    return most, most


def _still_variants(image: Image.Image, recipe: Recipe) -> Iterator[tuple[str, bytes]]:
    for variant in recipe.variants:
        if not variant.is_animated:
            yield variant.name, _encode(_fit(image, variant), variant)


def _animated_variants(image: Image.Image, recipe: Recipe) -> dict[str, bytes]:
    """Read frames one by one, since a file does not declare how many it has."""
    animated = [variant for variant in recipe.variants if variant.is_animated]
    frames: dict[str, list[Image.Image]] = {variant.name: [] for variant in animated}
    durations: list[int] = []
    while _seek(image, len(durations)):
        pixels = (len(durations) + 1) * image.width * image.height
        if len(durations) >= MAX_FRAMES or pixels > MAX_DECODED_PIXELS:
            if recipe.long_animation is LongAnimation.REFUSE:
                raise RefusedPictureError("The animation is too long or too large")
            return {}
        for variant in animated:
            frames[variant.name].append(_fit(image, variant))
        durations.append(max(int(image.info.get("duration") or _USUAL_FRAME), _SHORTEST_FRAME))
    return {
        variant.name: _encode(frames[variant.name][0], variant, frames[variant.name], durations)
        for variant in animated
    }


def _seek(image: Image.Image, frame: int) -> bool:
    try:
        image.seek(frame)
    except EOFError:
        return False
    return True


def _fit(image: Image.Image, variant: Variant) -> Image.Image:
    """A small upright copy, without metadata; the large image is copied as rarely as possible."""
    source = image
    if image.mode not in _DIRECT_MODES or "transparency" in image.info:
        source = image.convert("RGBA" if image.has_transparency_data else "RGB")
    orientation = image.getexif().get(ExifTags.Base.Orientation)
    size = (variant.width, variant.height)
    if orientation in _ROTATED:
        size = (variant.height, variant.width)
    if variant.fit is Fit.CROP:
        small = ImageOps.fit(source, size)
    elif variant.fit is Fit.PAD:
        small = ImageOps.contain(source, size)
    else:
        small = _shrink(source, size)
    # Resized copies keep the orientation tag.
    small = ImageOps.exif_transpose(small)
    if variant.fit is Fit.PAD:
        small = ImageOps.pad(
            small.convert("RGBA"), (variant.width, variant.height), color=(0, 0, 0, 0)
        )
    small.info = {}
    return small


def _shrink(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.width <= size[0] and image.height <= size[1]:
        return image.copy()
    return ImageOps.contain(image, size)


def _encode(
    image: Image.Image,
    variant: Variant,
    frames: list[Image.Image] | None = None,
    durations: list[int] | None = None,
) -> bytes:
    out = io.BytesIO()
    options: dict[str, object] = {}
    if variant.format == "WEBP":
        options |= {"quality": _QUALITY, "method": _EFFORT}
    if frames is not None:
        options |= {
            "save_all": True,
            "append_images": frames[1:],
            "duration": durations,
            "loop": 0,
        }
    if variant.format == "GIF":
        # Each frame is a complete image: the previous one has to be cleared.
        options["disposal"] = 2
    image.save(out, variant.format, **options)
    return out.getvalue()
