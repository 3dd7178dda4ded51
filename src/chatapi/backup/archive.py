"""The tar archive of a backup, written and read in one pass, with a checksum for each member.

Only what the writer makes is read: ordinary files with short names. Everything else that tar
archives can have, such as links, sparse files and long headers, is refused.
"""

import hashlib
import tarfile
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from typing import IO

from msgspec import Struct

_BLOCK = 512
_END = bytes(2 * _BLOCK)
_COPY_BYTES = 256 * 1024
_CHECKSUM = "comment"
_CHECKSUM_PREFIX = "sha256:"
_MAX_HEADER_BYTES = 4 * _BLOCK
_IN_MEMORY_BYTES = 8 * 1024 * 1024
_MODE = 0o600


class BrokenArchiveError(Exception):
    """The archive cannot be read on: it is cut off, or something else than a backup."""


class Member(Struct, frozen=True):
    """One file of the archive, held in memory or, if it is large, in a temporary file."""

    name: str
    size: int
    content: IO[bytes]
    sha256: str
    """Of the content as it was read."""
    is_intact: bool


def spool() -> IO[bytes]:
    """A temporary file that stays in memory while it is small."""
    return SpooledTemporaryFile(_IN_MEMORY_BYTES)


class ArchiveWriter:
    """Writes members to a stream that need not be a file."""

    def __init__(self, stream: IO[bytes], written_at: float) -> None:
        self._stream = stream
        self._written_at = int(written_at)
        self.bytes = 0

    def add(self, name: str, content: IO[bytes], size: int, sha256: str) -> None:
        """Add a member; `content` stands at its beginning."""
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size, _MODE, self._written_at
        info.pax_headers = {_CHECKSUM: f"{_CHECKSUM_PREFIX}{sha256}"}
        self._write(info.tobuf(tarfile.PAX_FORMAT))
        left = size
        while left and (piece := content.read(min(_COPY_BYTES, left))):
            self._write(piece)
            left -= len(piece)
        self._write(bytes(-size % _BLOCK))

    def end(self) -> None:
        self._write(_END)

    def _write(self, piece: bytes) -> None:
        self._stream.write(piece)
        self.bytes += len(piece)


def read_archive(stream: IO[bytes]) -> Iterator[Member]:
    """Yield all members; each is closed when the next one is requested."""
    source = _Source(stream)
    while (info := source.header()) is not None:
        expected = ""
        if info.type == tarfile.XHDTYPE:
            expected = _checksum_in(source.read(info.size, "a header"))
            info = source.header()
        if info is None or info.type != tarfile.REGTYPE or info.size < 0:
            raise BrokenArchiveError(f"unexpected entry before byte {source.position}")
        with spool() as content:
            digest = source.copy(info, content)
            content.seek(0)
            yield Member(info.name, info.size, content, digest, digest == expected)
    source.expect_nothing_more()


class _Source:
    """A stream that is read once, from front to back."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.position = 0

    def header(self) -> tarfile.TarInfo | None:
        """Read the next header; None at the end."""
        begin = self.position
        block = self.read(_BLOCK, "the next entry")
        if not any(block):
            return None
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        except (tarfile.HeaderError, UnicodeDecodeError):
            raise BrokenArchiveError(f"no valid entry at byte {begin}") from None
        if info.type != tarfile.REGTYPE and not 0 <= info.size <= _MAX_HEADER_BYTES:
            raise BrokenArchiveError(f"unexpected entry at byte {begin}")
        return info

    def read(self, size: int, what: str) -> bytes:
        """Read a few bytes and what fills their last block."""
        wanted = size + -size % _BLOCK
        found = _read_fully(self._stream, wanted)
        self.position += len(found)
        if len(found) < wanted:
            raise BrokenArchiveError(f"the file ends at byte {self.position}, within {what}")
        return found[:size]

    def copy(self, info: tarfile.TarInfo, target: IO[bytes]) -> str:
        """Copy the content of a member; returns its SHA-256."""
        digest = hashlib.sha256()
        left = info.size
        while left:
            piece = self._stream.read(min(_COPY_BYTES, left))
            if not piece:
                raise BrokenArchiveError(f"the file ends at byte {self.position}, in {info.name}")
            digest.update(piece)
            target.write(piece)
            left -= len(piece)
            self.position += len(piece)
        _ = _read_fully(self._stream, -info.size % _BLOCK)
        self.position += -info.size % _BLOCK
        return digest.hexdigest()

    def expect_nothing_more(self) -> None:
        self.read(_BLOCK, "its last block")
        if self._stream.read(1):
            raise BrokenArchiveError(f"something follows the end at byte {self.position}")


def _read_fully(stream: IO[bytes], size: int) -> bytes:
    """Read as much as asked for, or up to the end: pipes return less at a time."""
    pieces = []
    while size and (piece := stream.read(size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _checksum_in(records: bytes) -> str:
    """Find the checksum in a header of `LENGTH KEY=VALUE` lines."""
    for line in records.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition(" ")[2].partition("=")
        if key == _CHECKSUM:
            return value.removeprefix(_CHECKSUM_PREFIX)
    return ""
