"""Reads the size of an image from its first bytes, without decoding it.

In the server itself: a few fields at known places, and a bounded number of steps.
"""

import struct
from typing import IO

from msgspec import Struct

_PNG = b"\x89PNG\r\n\x1a\n"
_MAX_SIDE = 2**31 - 1
"""The longest side that a PNG may declare, which is the largest of all formats."""
_MAX_SEGMENTS = 200
_MAX_EXIF_ENTRIES = 100
_ORIENTATION = 0x0112
_ROTATED = frozenset({5, 6, 7, 8})
_FRAMES_OF_JPEG = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_START_OF_SCAN = 0xDA
_APP1 = 0xE1
_EXIF = b"Exif\0\0"


class PictureHeader(Struct, frozen=True):
    """What a file declares to be."""

    content_type: str
    width: int
    height: int


def read_header(file: IO[bytes]) -> PictureHeader | None:
    """What an image file declares; None if it is none of the formats that are drawn."""
    file.seek(0)
    head = file.read(30)
    try:
        header = _read(file, head)
    except (struct.error, IndexError):
        # The file ends too early.
        return None
    return header if header is not None and _has_pixels(header) else None


def _has_pixels(header: PictureHeader) -> bool:
    return all(1 <= side <= _MAX_SIDE for side in (header.width, header.height))


def _read(file: IO[bytes], head: bytes) -> PictureHeader | None:
    if head.startswith(_PNG):
        return PictureHeader("image/png", *struct.unpack_from(">II", head, 16))
    if head.startswith((b"GIF87a", b"GIF89a")):
        return PictureHeader("image/gif", *struct.unpack_from("<HH", head, 6))
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _read_webp(head)
    if head.startswith(b"\xff\xd8\xff"):
        return _read_jpeg(file)
    return None


def _read_webp(head: bytes) -> PictureHeader | None:
    kind = head[12:16]
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", head, 26)
        return PictureHeader("image/webp", width & 0x3FFF, height & 0x3FFF)
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", head, 21)
        return PictureHeader("image/webp", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    if kind == b"VP8X":
        width = int.from_bytes(head[24:27], "little") + 1
        height = int.from_bytes(head[27:30], "little") + 1
        return PictureHeader("image/webp", width, height)
    return None


def _read_jpeg(file: IO[bytes]) -> PictureHeader | None:
    position = 2
    is_rotated = False
    for _ in range(_MAX_SEGMENTS):
        file.seek(position)
        marker, kind, length = struct.unpack(">BBH", file.read(4))
        if marker != 0xFF or kind == _START_OF_SCAN:  # noqa: PLR2004 (begins every marker)
            return None
        if kind in _FRAMES_OF_JPEG:
            height, width = struct.unpack_from(">HH", file.read(5), 1)
            size = (height, width) if is_rotated else (width, height)
            return PictureHeader("image/jpeg", *size)
        if kind == _APP1:
            is_rotated = is_rotated or _orientation(file.read(length - 2)) in _ROTATED
        position += 2 + length
    return None


def _orientation(exif: bytes) -> int:
    """The orientation tag in the first directory of EXIF data; 1, which is upright, without it."""
    if not exif.startswith(_EXIF):
        return 1
    tiff = exif[len(_EXIF) :]
    order = "<" if tiff.startswith(b"II") else ">"
    try:
        (start,) = struct.unpack_from(f"{order}I", tiff, 4)
        (count,) = struct.unpack_from(f"{order}H", tiff, start)
        for entry in range(min(count, _MAX_EXIF_ENTRIES)):
            tag, _kind, _count, value = struct.unpack_from(
                f"{order}HHIH", tiff, start + 2 + 12 * entry
            )
            if tag == _ORIENTATION:
                return int(value)
    except struct.error:
        pass
    return 1
