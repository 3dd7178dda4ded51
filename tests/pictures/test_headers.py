"""Sizes of images, read from their first bytes."""

import io
import random

import pytest

from chatapi.pictures import PictureHeader, read_header
from tests.features.emoji.pictures import moving_picture, picture
from tests.pictures.hostile import png
from tests.pictures.test_painter import photo


@pytest.mark.parametrize("kind", ["PNG", "GIF", "JPEG", "WEBP"])
@pytest.mark.parametrize("size", [(1, 1), (300, 7), (1025, 2000)])
def test_size_is_read(kind: str, size: tuple[int, int]) -> None:
    header = read_header(io.BytesIO(picture(kind, size)))
    assert header == PictureHeader(f"image/{kind.lower()}", *size)


def test_animated_webp_is_read() -> None:
    header = read_header(io.BytesIO(moving_picture(kind="WEBP")))
    assert header == PictureHeader("image/webp", 100, 50)


@pytest.mark.parametrize(("orientation", "size"), [(1, (80, 40)), (6, (40, 80)), (3, (80, 40))])
def test_rotated_photo_has_its_sides_exchanged(orientation: int, size: tuple[int, int]) -> None:
    assert read_header(io.BytesIO(photo(orientation))) == PictureHeader("image/jpeg", *size)


@pytest.mark.parametrize("content", [b"", b"hello", b"<svg/>", b"RIFF1234WAVE", b"\x89PNG", b"BM"])
def test_other_files_are_no_images(content: bytes) -> None:
    assert read_header(io.BytesIO(content)) is None


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (2**31, 1), (1, 2**31), (2**32 - 1, 2**32 - 1)])
def test_sizes_that_no_format_allows_are_no_images(size: tuple[int, int]) -> None:
    assert read_header(io.BytesIO(png(*size, bits=8, colour=2))) is None


def test_longest_side_is_read() -> None:
    side = 2**31 - 1
    header = read_header(io.BytesIO(png(side, side, bits=8, colour=2)))
    assert header == PictureHeader("image/png", side, side)


def test_broken_headers_raise_nothing() -> None:
    chance = random.Random(15)
    for kind in ("PNG", "GIF", "JPEG", "WEBP"):
        whole = picture(kind)
        for _ in range(300):
            broken = bytearray(whole[: chance.randrange(1, len(whole))])
            for _ in range(5):
                broken[chance.randrange(len(broken))] = chance.randrange(256)
            read_header(io.BytesIO(bytes(broken)))
