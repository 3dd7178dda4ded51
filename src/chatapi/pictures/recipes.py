"""What is drawn from an image, as data: the description for the drawing process, and its result."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, json


class Fit(StrEnum):
    """How an image of another shape is brought to a size."""

    PAD = "pad"
    """Complete, centred, with transparent margins."""
    CROP = "crop"
    """Filling the size, without its margins."""
    INSIDE = "inside"
    """Complete, at most of the size, never enlarged."""


class LongAnimation(StrEnum):
    """What happens to an animation beyond the limits."""

    REFUSE = "refuse"
    FIRST_FRAME = "first_frame"
    """Only variants that are not animated are drawn."""


class Variant(Struct, frozen=True):
    """One image to be drawn."""

    name: str
    width: int
    height: int
    fit: Fit
    format: str
    """PNG, GIF or WEBP."""
    is_animated: bool = False
    """Drawn only from animated images."""


class Recipe(Struct, frozen=True):
    """The images to be drawn from one file."""

    variants: tuple[Variant, ...]
    long_animation: LongAnimation = LongAnimation.FIRST_FRAME

    def encode(self) -> str:
        return json.encode(self).decode()

    @classmethod
    def decode(cls, text: str) -> "Recipe":
        return json.decode(text, type=cls)


class DrawnPicture(Struct, frozen=True):
    """A valid image: what it is, and what was drawn from it."""

    width: int
    height: int
    """As it is shown: a photo that is to be rotated has its sides exchanged."""
    content_type: str
    """Of the file itself, whatever its client declared."""
    is_animated: bool
    variants: Mapping[str, bytes]
    """The content of each variant, by name."""
