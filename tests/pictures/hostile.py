"""Hostile and broken images, made by a seeded generator."""

import io
import random
import struct
import zlib
from collections.abc import Iterator
from functools import cache

from PIL import Image

from tests.features.emoji.pictures import moving_picture, picture

_KINDS = ("PNG", "GIF", "JPEG", "WEBP")
_PNG = b"\x89PNG\r\n\x1a\n"


@cache
def hostile_images(seed: int = 15) -> tuple[tuple[str, bytes], ...]:
    """The name and the content of more than 200 files; making them takes ten seconds."""
    return tuple(_make_images(random.Random(seed)))


def _make_images(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    yield from _cut_off(chance)
    yield from _damaged(chance)
    yield from _with_wrong_sizes()
    yield from _bombs()
    yield from _animations()
    yield from _unusual()
    yield from _disguised(chance)


def _sources() -> dict[str, bytes]:
    return {
        **{kind: picture(kind, (320, 200)) for kind in _KINDS},
        "moving GIF": moving_picture(frames=8, size=(120, 80)),
        "moving WEBP": moving_picture(frames=8, size=(120, 80), kind="WEBP"),
        "moving PNG": moving_picture(frames=8, size=(120, 80), kind="PNG"),
    }


def _cut_off(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    for name, content in _sources().items():
        for number in range(8):
            yield f"{name} cut off {number}", content[: chance.randrange(1, len(content))]


def _damaged(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    for name, content in _sources().items():
        for number in range(12):
            damaged = bytearray(content)
            for _ in range(chance.choice((1, 3, 20))):
                damaged[chance.randrange(8, len(damaged))] = chance.randrange(256)
            yield f"{name} damaged {number}", bytes(damaged)


def _with_wrong_sizes() -> Iterator[tuple[str, bytes]]:
    for width, height in (
        (0, 0),
        (1, 2**31 - 1),
        (2**31 - 1, 2**31 - 1),
        (2**31, 1),
        (2**32 - 1, 2**32 - 1),
        (65_535, 65_535),
        (20_000, 20_000),
        (4_096, 4_097),
    ):
        for bits, colour in ((1, 0), (8, 2), (16, 6)):
            yield f"PNG of {width} x {height}, {bits} {colour}", png(width, height, bits, colour)
        short = (min(width, 65_535), min(height, 65_535))
        gif = bytearray(picture("GIF"))
        gif[6:10] = struct.pack("<HH", *short)
        yield f"GIF of {width} x {height}", bytes(gif)
        jpeg = bytearray(picture("JPEG"))
        at = jpeg.index(b"\xff\xc0") + 5
        jpeg[at : at + 4] = struct.pack(">HH", *short)
        yield f"JPEG of {width} x {height}", bytes(jpeg)


def _bombs() -> Iterator[tuple[str, bytes]]:
    yield "PNG of 400 million equal pixels", whole_png(20_000, 20_000, 1, 0)
    yield "PNG at the limit", whole_png(4_096, 4_096, 8, 6)
    yield "PNG of 16 bits at the limit", whole_png(4_096, 4_096, 16, 6)
    yield "JPEG at the limit", picture("JPEG", (8_192, 8_192))
    yield "progressive JPEG", _saved(Image.new("RGB", (7_000, 7_000)), "JPEG", progressive=True)
    yield "WEBP of 16 million pixels", picture("WEBP", (4_096, 4_096))
    for size in (10, 100):
        packed = zlib.compress(bytes(size * 1024 * 1024), 1)
        for kind, head in ((b"zTXt", b"a\0\0"), (b"iTXt", b"a\0\1\0\0\0"), (b"iCCP", b"a\0\0")):
            chunks = [_chunk(kind, head + packed)]
            yield f"PNG with {size} MiB in {kind.decode()}", png(10, 10, 8, 2, chunks)
    many = [_chunk(b"tEXt", b"a\0b")] * 100_000
    yield "PNG with 100,000 chunks", png(10, 10, 8, 2, many)


def _animations() -> Iterator[tuple[str, bytes]]:
    yield "GIF of 1,000 frames", moving_picture(frames=1_000, size=(2, 2))
    yield "GIF of large frames", moving_picture(frames=60, size=(1_000, 1_000))
    yield "WEBP of large frames", moving_picture(frames=12, size=(2_000, 2_000), kind="WEBP")
    yield "PNG of large frames", moving_picture(frames=8, size=(2_000, 2_000), kind="PNG")
    still = moving_picture(frames=2, size=(50, 50))
    frame = still[still.index(b"\x21\xf9") : -1]
    yield "GIF that repeats its frames", still[:-1] + frame * 20_000 + b"\x3b"


def _unusual() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        yield f"PNG of mode {mode}", _saved(Image.new(mode, (900, 600)), "PNG")
    for mode in ("L", "RGB", "CMYK"):
        yield f"JPEG of mode {mode}", _saved(Image.new(mode, (900, 600)), "JPEG")
    for orientation in (0, 5, 6, 9, 65_535):
        exif = Image.Exif()
        exif[0x0112] = orientation
        image = Image.new("RGB", (90, 60))
        yield f"JPEG of orientation {orientation}", _saved(image, "JPEG", exif=exif)
    for size in ((1, 60_000), (60_000, 1), (1, 1)):
        yield f"PNG of {size}", picture(size=size)


def _disguised(chance: random.Random) -> Iterator[tuple[str, bytes]]:
    heads = (
        _PNG,
        b"GIF89a",
        b"\xff\xd8\xff\xe1",
        b"RIFF\xff\xff\xff\xffWEBPVP8X",
        b"BM",
        b"%PDF-1.7",
    )
    for head in heads:
        for length in (0, 10, 1_000, 100_000):
            yield f"{head[:6]!r} and noise {length}", head + chance.randbytes(length)
    yield "script", b"GIF89a/*" + b"\0" * 50 + b"*/=1;alert(1)"
    yield "svg", b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


def png(
    width: int, height: int, bits: int, colour: int, chunks: list[bytes] | None = None
) -> bytes:
    """A PNG that declares a size, and contains a few bytes."""
    return _png(width, height, bits, colour, chunks or [], zlib.compress(bytes(1_000)))


def whole_png(width: int, height: int, bits: int, colour: int) -> bytes:
    """A complete PNG of equal pixels, which is small as a file."""
    line = bytes(1 + (width * bits * {0: 1, 2: 3, 6: 4}[colour] + 7) // 8)
    packer = zlib.compressobj(1)
    data = b"".join([*(packer.compress(line) for _ in range(height)), packer.flush()])
    return _png(width, height, bits, colour, [], data)


def _png(
    width: int, height: int, bits: int, colour: int, chunks: list[bytes], data: bytes
) -> bytes:
    head = _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
    return b"".join([_PNG, head, *chunks, _chunk(b"IDAT", data), _chunk(b"IEND", b"")])


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def _saved(image: Image.Image, kind: str, **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
