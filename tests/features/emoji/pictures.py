"""Pictures for tests."""

import io

from PIL import Image

RED = (255, 0, 0, 255)
_FAST = {"compress_level": 1, "method": 0}
"""Hardly compressed, which PNG and WebP take notice of: some tests need millions of pixels."""


def picture(kind: str = "PNG", size: tuple[int, int] = (100, 50)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, RED[:3]).save(out, kind, **_FAST)
    return out.getvalue()


def moving_picture(frames: int = 3, size: tuple[int, int] = (100, 50), kind: str = "GIF") -> bytes:
    images = [
        Image.new("RGBA", size, (255 * (number % 2), number % 256, number // 256, 255))
        for number in range(frames)
    ]
    out = io.BytesIO()
    images[0].save(out, kind, save_all=True, append_images=images[1:], duration=50, **_FAST)
    return out.getvalue()
