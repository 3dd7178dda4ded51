"""Decoding of application/x-www-form-urlencoded data, in bounded steps of the event loop."""

import asyncio
import re
from binascii import a2b_qp
from collections.abc import Iterable
from functools import lru_cache

_PIECE_BYTES = 256 * 1024
_MAX_STRAYS = 1_000
_MAX_SHARED_NAME_BYTES = 64
# A percent sign that begins no escape: a client that forgets to encode its text sends a few.
_STRAY = re.compile(rb"%(?![0-9A-Fa-f]{2})")


class TooManyStraysError(ValueError):
    """Too many percent signs begin no escape, so the data is not urlencoded."""


async def decode_pairs(data: bytes) -> list[tuple[str, str]]:
    """Decode names and values in order; yields to other requests between pieces of long data."""
    spaced = data.replace(b"+", b" ")
    if len(spaced) <= _PIECE_BYTES:
        escaped, _ = _escape_strays(spaced, _MAX_STRAYS)
        return [(_decode_name(name), _decode(value)) for name, value in _split(escaped)]
    pairs = []
    for name, value in _split(await _escape_strays_of_long(spaced)):
        pairs.append((await _decode_long(name), await _decode_long(value)))
        await asyncio.sleep(0)
    return pairs


def unquote(encoded: bytes) -> bytes:
    """Same as urllib's unquote_to_bytes, without work in Python for each escape."""
    return _unescape(_escape_strays(encoded, _MAX_STRAYS)[0])


def _split(data: bytes) -> Iterable[tuple[bytes, bytes]]:
    for field in data.split(b"&"):
        if field:
            name, _, value = field.partition(b"=")
            yield name, value


def _escape_strays(data: bytes, most: int) -> tuple[bytes, int]:
    """Escape stray percent signs; returns the data and how many more strays are accepted."""
    if b"%" not in data:
        return data, most
    escaped, strays = _STRAY.subn(b"%25", data, most + 1)
    if strays > most:
        raise TooManyStraysError
    return escaped, most - strays


async def _escape_strays_of_long(data: bytes) -> bytes:
    pieces = []
    most = _MAX_STRAYS
    for piece in _pieces(data):
        escaped, most = _escape_strays(piece, most)
        pieces.append(escaped)
        await asyncio.sleep(0)
    return b"".join(pieces)


def _unescape(escaped: bytes) -> bytes:
    """Decode through quoted-printable: only its escape character differs, and it runs in C."""
    if b"%" not in escaped:
        return escaped
    return a2b_qp(escaped.replace(b"=", b"=3D").replace(b"%", b"="))


def _decode(escaped: bytes) -> str:
    # Most names and values have no escape; every request passes here some ten times.
    return (_unescape(escaped) if b"%" in escaped else escaped).decode()


def _decode_name(escaped: bytes) -> str:
    # Requests share a few objects, since waiting polls keep the names of their parameters. They are
    # not interned: Python 3.12 never frees interned strings, and clients can send any name.
    return _shared_name(escaped) if len(escaped) <= _MAX_SHARED_NAME_BYTES else _decode(escaped)


@lru_cache(maxsize=1_000)
def _shared_name(escaped: bytes) -> str:
    return _decode(escaped)


async def _decode_long(escaped: bytes) -> str:
    if len(escaped) <= _PIECE_BYTES:
        return _decode(escaped)
    pieces = []
    for piece in _pieces(escaped):
        pieces.append(_unescape(piece))
        await asyncio.sleep(0)
    return b"".join(pieces).decode()


def _pieces(data: bytes) -> Iterable[bytes]:
    """Yields pieces of long data; does not split an escape."""
    start = 0
    while start < len(data):
        end = start + _PIECE_BYTES
        percent = data.rfind(b"%", end - 2, end)
        if percent != -1 and end < len(data):
            end = percent
        yield data[start:end]
        start = end
