"""Rows as lines of JSON, in compressed pieces that fit into memory."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterable
from typing import Any

import orjson

from chatapi.backup.archive import ArchiveWriter

_PIECE_BYTES = 1024 * 1024
_MAX_PIECE_BYTES = 256 * 1024 * 1024
"""When reading: no row of the service is nearly as long."""
_COMPRESSION = 1
_SUFFIX = ".jsonl.gz"
# As SQLite's driver returns times, and as PostgreSQL's does: both in UTC.
_OPTIONS = orjson.OPT_NAIVE_UTC | orjson.OPT_APPEND_NEWLINE


class BadLinesError(Exception):
    """The content of a piece is not what the writer writes."""


class LineWriter:
    """Collects lines and adds them to the archive as members `PREFIX000001.jsonl.gz` and so on."""

    def __init__(self, archive: ArchiveWriter, prefix: str, first: list[str] | None = None) -> None:
        self._archive = archive
        self._prefix = prefix
        self._first = b"" if first is None else orjson.dumps(first, option=_OPTIONS)
        """The first line of each piece: the names of the columns."""
        self._lines = bytearray(self._first)
        self._digest = hashlib.sha256()
        self._pieces = 0
        self.count = 0

    def add(self, rows: Iterable[Any]) -> None:
        for row in rows:
            self._lines += orjson.dumps(row, option=_OPTIONS)
            self.count += 1
            if len(self._lines) >= _PIECE_BYTES:
                self._write_piece()

    def finish(self) -> str:
        """Write what is left; returns the SHA-256 of all lines."""
        if len(self._lines) > len(self._first) or not self._pieces:
            self._write_piece()
        return self._digest.hexdigest()

    def _write_piece(self) -> None:
        self._digest.update(self._lines)
        # Without a time, so that equal rows make equal members.
        packed = gzip.compress(bytes(self._lines), _COMPRESSION, mtime=0)
        self._pieces += 1
        name = f"{self._prefix}{self._pieces:06}{_SUFFIX}"
        sha256 = hashlib.sha256(packed).hexdigest()
        self._archive.add(name, io.BytesIO(packed), len(packed), sha256)
        self._lines = bytearray(self._first)


def unpack_lines(packed: bytes) -> bytes:
    """Decompress a piece; one that would fill the memory is refused."""
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        lines = unpacking.decompress(packed, _MAX_PIECE_BYTES)
    except zlib.error as error:
        raise BadLinesError(str(error)) from None
    if not unpacking.eof or unpacking.unused_data:
        raise BadLinesError("the compressed data is incomplete or too large")
    return lines


def parse_lines(lines: bytes) -> list[Any]:
    """Parse a piece, one value for each line."""
    try:
        return [orjson.loads(line) for line in lines.splitlines()]
    except orjson.JSONDecodeError as error:
        raise BadLinesError(str(error)) from None


def piece_prefix(name: str) -> str | None:
    """Return the prefix of a member's name; None if it is not a piece of lines."""
    begin = name.removesuffix(_SUFFIX)
    if begin == name or not begin[-6:].isdigit():
        return None
    return begin[:-6]
