"""The interface of a file store; keys are generated here and contain no input of clients."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import IO, Protocol

from msgspec import Struct

CHUNK_BYTES = 256 * 1024
THREADS = 8
"""The number of threads in which a store waits for disk operations."""


class MissingFileError(Exception):
    """There is no file with this key."""


class ByteRange(Struct, frozen=True):
    """A part of a file, which is not empty; both ends belong to it."""

    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


class FileStore(Protocol):
    """Stores files; a file is stored completely or not at all."""

    async def put(self, key: str, content: IO[bytes], digest: str) -> None:
        """Store a file; `digest` is the SHA-256 of its content, in hexadecimal."""

    def read(
        self, key: str, part: ByteRange | None = None
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Read the content, or a part of it that exists, in pieces.

        `MissingFileError` is raised when the context is entered.
        """

    async def delete(self, key: str) -> None:
        """Remove a file; a missing file is no error."""

    def list_old(self, before: datetime) -> AsyncIterator[list[str]]:
        """Yield the keys of files last written before a moment, page by page, in key order.

        A file that was only half written when its process died may be among them.
        """

    async def close(self) -> None: ...
