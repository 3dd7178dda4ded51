"""Sends a whole response in one call and one system call, without ASGI's messages.

uvicorn examines every header by itself, and writes head and body separately. For a small response
that takes longer than finding out what to respond, and polls that end together wait for each other.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

Header = tuple[bytes, bytes]

CYCLE = "chatapi.response_cycle"
"""The key of the scope under which the server passes on what a response is sent with."""
MAX_BYTES = 64 * 1024
"""Of a body: to copy a larger one costs more than a system call."""
_FORBIDDEN = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class WholeResponse(Struct):
    """A response that is ready to be sent on its connection, by `write` and then `finish`.

    Nothing else may run between preparing and finishing it. Who sends many finishes them later, as
    no client waits for that.
    """

    cycle: "RequestResponseCycle"
    content: bytes

    def write(self) -> None:
        cycle = self.cycle
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.transport.write(self.content)

    def finish(self) -> None:
        cycle = self.cycle
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()


def whole_response(
    cycle: "RequestResponseCycle",
    status: int,
    headers: tuple[Header, ...],
    further: Iterable[Header],
    body: bytes,
) -> WholeResponse | None:
    """Prepare a response with Content-Length; None if it must be sent by ASGI's messages.

    That is the case while earlier bytes wait for the client, and for a client that is gone.
    `headers` are few different ones, whose lines are kept; `further` differ from call to call.
    """
    if cycle.flow.write_paused or cycle.disconnected or cycle.response_started or cycle.access_log:
        return None
    content = b"".join(
        (
            _first_lines(status, headers),
            _shared_lines(tuple(cycle.default_headers)),
            _lines(further),
            b"" if cycle.keep_alive else b"connection: close\r\n",
            b"content-length: %d\r\n\r\n" % len(body),
            body,
        )
    )
    return WholeResponse(cycle, content)


@lru_cache(maxsize=100)
def _first_lines(status: int, headers: tuple[Header, ...]) -> bytes:
    phrase = HTTPStatus(status).phrase
    return f"HTTP/1.1 {status} {phrase}\r\n".encode() + _lines(headers)


@lru_cache(maxsize=100)
def _shared_lines(headers: tuple[Header, ...]) -> bytes:
    """The server's own headers, which change once in a second."""
    return _lines(headers)


def _lines(headers: Iterable[Header]) -> bytes:
    lines = [b"%b: %b" % header for header in headers]
    # All in one search: a line break in a value would begin another header.
    if _FORBIDDEN.search(b"".join(lines)):
        raise ValueError("a header contains a control character")
    return b"\r\n".join((*lines, b""))
