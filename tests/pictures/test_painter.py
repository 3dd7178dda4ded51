"""Drawing of images in processes of their own."""

import io
import tempfile
from collections.abc import AsyncIterator
from typing import IO

import pytest
from PIL import ExifTags, Image

from chatapi.pictures import (
    DrawnPicture,
    Fit,
    LongAnimation,
    Painter,
    Recipe,
    UnreadablePictureError,
    Variant,
)
from tests.features.emoji.pictures import moving_picture, picture

INSIDE = Recipe((Variant("small", 60, 40, Fit.INSIDE, "WEBP"),))
SECRET = b"taken at home"


@pytest.fixture
async def painter() -> AsyncIterator[Painter]:
    painter = Painter()
    yield painter
    painter.close()


def as_file(content: bytes) -> IO[bytes]:
    file = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the test's last reference)
    file.write(content)
    return file


def photo(orientation: int, size: tuple[int, int] = (80, 40)) -> bytes:
    """A photo whose upper left quarter is red, with a comment in its metadata."""
    image = Image.new("RGB", size, "blue")
    image.paste("red", (0, 0, size[0] // 2, size[1] // 2))
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = orientation
    exif[ExifTags.Base.ImageDescription] = SECRET.decode()
    out = io.BytesIO()
    image.save(out, "JPEG", exif=exif, comment=SECRET)
    return out.getvalue()


async def draw(painter: Painter, content: bytes, recipe: Recipe = INSIDE) -> DrawnPicture:
    with as_file(content) as file:
        return await painter.draw(file, recipe)


def opened(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content))


@pytest.mark.parametrize(
    ("fit", "size"), [(Fit.INSIDE, (60, 30)), (Fit.CROP, (60, 40)), (Fit.PAD, (60, 40))]
)
async def test_image_is_brought_to_the_size(
    painter: Painter, fit: Fit, size: tuple[int, int]
) -> None:
    recipe = Recipe((Variant("small", 60, 40, fit, "PNG"),))
    drawn = await draw(painter, picture(size=(100, 50)), recipe)
    assert (drawn.width, drawn.height, drawn.content_type) == (100, 50, "image/png")
    assert opened(drawn.variants["small"]).size == size


async def test_small_image_is_not_enlarged(painter: Painter) -> None:
    drawn = await draw(painter, picture(size=(10, 5)))
    assert opened(drawn.variants["small"]).size == (10, 5)


async def test_orientation_is_honoured_and_metadata_dropped(painter: Painter) -> None:
    content = photo(orientation=6)
    assert SECRET in content
    drawn = await draw(painter, content)
    assert (drawn.width, drawn.height) == (40, 80)
    small = drawn.variants["small"]
    assert SECRET not in small
    image = opened(small)
    assert image.size == (20, 40)
    assert not image.getexif()
    red, _green, blue = image.convert("RGB").getpixel((15, 5))  # type: ignore[misc]
    assert red > 200
    assert blue < 60


async def test_animation_is_drawn_in_animated_variants(painter: Painter) -> None:
    moving = Variant("moving", 60, 40, Fit.INSIDE, "WEBP", is_animated=True)
    recipe = Recipe((*INSIDE.variants, moving))
    drawn = await draw(painter, moving_picture(frames=3), recipe)
    assert drawn.is_animated
    assert getattr(opened(drawn.variants["moving"]), "n_frames", 1) == 3
    assert getattr(opened(drawn.variants["small"]), "n_frames", 1) == 1
    still = await draw(painter, picture(), recipe)
    assert not still.is_animated
    assert set(still.variants) == {"small"}


async def test_long_animation_is_refused_or_drawn_as_its_first_frame(painter: Painter) -> None:
    moving = Variant("moving", 60, 40, Fit.INSIDE, "WEBP", is_animated=True)
    long = moving_picture(frames=201, size=(8, 8))
    drawn = await draw(painter, long, Recipe((*INSIDE.variants, moving)))
    assert set(drawn.variants) == {"small"}
    with pytest.raises(UnreadablePictureError) as refusal:
        await draw(painter, long, Recipe((moving,), LongAnimation.REFUSE))
    assert refusal.value.message == "The animation is too long or too large"


async def test_large_photo_is_decoded_at_a_fraction_of_its_size(painter: Painter) -> None:
    drawn = await draw(painter, picture("JPEG", size=(6000, 4000)))
    assert (drawn.width, drawn.height) == (6000, 4000)
    assert opened(drawn.variants["small"]).size == (60, 40)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
async def test_too_many_pixels_are_refused(painter: Painter, kind: str) -> None:
    with pytest.raises(UnreadablePictureError) as refusal:
        await draw(painter, picture(kind, size=(9000, 9000)))
    assert refusal.value.message == "The image has too many pixels"


@pytest.mark.parametrize("kind", ["TIFF", "BMP", "ICO", "PPM"])
async def test_other_formats_are_refused(painter: Painter, kind: str) -> None:
    with pytest.raises(UnreadablePictureError) as refusal:
        await draw(painter, picture(kind))
    assert "Invalid image format" in refusal.value.message
