"""Sends the head of a response together with its body, in one system call instead of two."""

import asyncio
from typing import Any

_MAX_JOINED_BYTES = 64 * 1024
"""Larger bodies are sent as they are: to copy one costs more than a system call."""
_CONTENT_LENGTH = b"\r\ncontent-length: "
_INFORMATIONAL = b"HTTP/1.1 1"


class JoiningTransport:
    """Wraps the transport of a connection, which sends each write at once.

    The head of a response is held until its body comes, which ASGI allows. A response without a
    known length is a stream, whose head must not wait for its first event.
    """

    __slots__ = ("_held", "_is_head_next", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._held = b""
        self._is_head_next = True

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (all else is the transport's)
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        # Asked after every response: `__getattr__` would be slower.
        return self._transport.is_closing()

    def write(self, data: bytes) -> None:
        if self._is_head_next:
            self._write_head(data)
        elif self._held:
            held, self._held = self._held, b""
            if len(data) > _MAX_JOINED_BYTES:
                self._transport.write(held)
                self._transport.write(data)
            else:
                self._transport.write(held + data)
        else:
            self._transport.write(data)

    def end_response(self) -> None:
        """Send what is held, of a response without a body; the next write is another head."""
        self._flush()
        self._is_head_next = True

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _write_head(self, data: bytes) -> None:
        if data.startswith(_INFORMATIONAL):
            self._transport.write(data)
            return
        self._is_head_next = False
        if _CONTENT_LENGTH in data:
            self._held = data
        else:
            self._transport.write(data)

    def _flush(self) -> None:
        if self._held:
            held, self._held = self._held, b""
            self._transport.write(held)
