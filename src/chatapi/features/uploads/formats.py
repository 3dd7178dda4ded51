"""The formats of thumbnails."""

from typing_extensions import TypedDict

from chatapi.pictures import Fit, Recipe, Variant

STILL = Variant("840x560.webp", 840, 560, Fit.INSIDE, "WEBP")
ANIMATED = Variant("840x560-anim.webp", 840, 560, Fit.INSIDE, "WEBP", is_animated=True)
RECIPE = Recipe((STILL, ANIMATED))


class ThumbnailFormatPayload(TypedDict):
    """A format of thumbnails; its name is the last part of their addresses."""

    name: str
    max_width: int
    max_height: int
    format: str
    animated: bool


def thumbnail_formats() -> list[ThumbnailFormatPayload]:
    return [
        {
            "name": variant.name,
            "max_width": variant.width,
            "max_height": variant.height,
            "format": variant.format.lower(),
            "animated": variant.is_animated,
        }
        for variant in RECIPE.variants
    ]
