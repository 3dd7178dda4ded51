"""What a store of files can do; keys are made by us and never contain what a client wrote."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import IO, Protocol

CHUNK_BYTES = 256 * 1024
THREADS = 8
"""In which a store waits for a disk."""


class MissingFileError(Exception):
    """There is nothing under a key."""


class FileStore(Protocol):
    """Keeps files; a file is there whole or not at all."""

    async def put(self, key: str, content: IO[bytes], digest: str) -> None:
        """Keep a file; `digest` is the SHA-256 of its content, in hexadecimal."""

    def read(self, key: str) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """The content in pieces; a missing file is noticed on entering."""

    async def delete(self, key: str) -> None:
        """Remove a file; one that is not there is no error."""

    def list_old(self, before: datetime) -> AsyncIterator[list[str]]:
        """Keys of files that were last written before a moment, page by page, in their order.

        A file that was only half written when the process died may be among them.
        """

    async def close(self) -> None: ...
