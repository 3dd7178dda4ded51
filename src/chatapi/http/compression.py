"""Compresses responses, with the content codings that clients accept (ADR 28)."""

import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from chatapi.core.worker_threads import WorkerThreads

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MIN_BYTES = 1024
"""Smaller responses fit into one packet either way."""
_MAX_BYTES_ON_LOOP = 64 * 1024
"""Up to here, compressing holds the loop for a fraction of a millisecond (ADR 28)."""
_THREADS = 2
_MAX_AT_ONCE = 8
"""Responses that are in the threads, or wait for them; while there are so many, others are sent
as they are: a response is never delayed for long, nor refused, only to make it smaller."""
_CHUNK_BYTES = 256 * 1024
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


_COMPRESSORS: Mapping[str, Callable[[], _Compressor]] = {
    # Higher levels take several times as long for a few percent.
    "zstd": lambda: zstd.ZstdCompressor(level=1),
    "gzip": lambda: zlib.compressobj(1, zlib.DEFLATED, _GZIP_WINDOW),
}
CODINGS: Sequence[str] = tuple(_COMPRESSORS)
"""The content codings of responses, the preferred one first."""


class ResponseCompressor:
    """Compresses small responses at once, and large ones in threads."""

    def __init__(self) -> None:
        self._threads = WorkerThreads("compression", _THREADS)
        self._at_once = 0

    async def compress(self, coding: str, chunks: Sequence[bytes], size: int) -> Sequence[bytes]:
        """Returns the compressed body, or the given chunks if too many others are compressed."""
        if size <= _MAX_BYTES_ON_LOOP:
            return compress(coding, chunks)
        if self._at_once >= _MAX_AT_ONCE:
            return chunks
        self._at_once += 1
        try:
            return await self._threads.run(compress, coding, chunks)
        finally:
            self._at_once -= 1

    def close(self) -> None:
        self._threads.close()


def compress(coding: str, chunks: Sequence[bytes]) -> list[bytes]:
    """Compress a body into chunks of about the same size; other threads run meanwhile."""
    compressor = _COMPRESSORS[coding]()
    compressed: list[bytes] = []
    pieces: list[bytes] = []
    size = 0
    for chunk in chunks:
        pieces.append(compressor.compress(chunk))
        size += len(pieces[-1])
        if size >= _CHUNK_BYTES:
            compressed.append(b"".join(pieces))
            pieces, size = [], 0
    return [*compressed, b"".join([*pieces, compressor.flush()])]
