"""Images of custom emoji: redrawn in one fixed size, animations as GIFs."""

from msgspec import Struct

from chatapi.pictures import DrawnPicture, Fit, LongAnimation, Recipe, Variant

SIZE = 64
MAX_BYTES = 5 * 1024 * 1024
RECIPE = Recipe(
    (
        Variant("still", SIZE, SIZE, Fit.PAD, "PNG"),
        Variant("animated", SIZE, SIZE, Fit.PAD, "GIF", is_animated=True),
    ),
    LongAnimation.REFUSE,
)


class EmojiImage(Struct, frozen=True):
    """The bytes of an emoji as it is served."""

    content: bytes
    extension: str
    still: bytes | None
    """The first frame of an animated emoji, as PNG."""

    @classmethod
    def of(cls, drawn: DrawnPicture) -> "EmojiImage":
        still = drawn.variants["still"]
        if not drawn.is_animated:
            return cls(still, "png", None)
        return cls(drawn.variants["animated"], "gif", still)
