"""Requests to an application inside this process, without a client library.

A client library takes about as long for a request as the application for a simple response.
"""

import asyncio
import base64
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import ClassVar

from starlette.types import ASGIApp, Message, Scope

from chatapi.http.whole_responses import CYCLE
from tests.factories import Person

FORM_TYPE = b"application/x-www-form-urlencoded"
Headers = list[tuple[bytes, bytes]]
"""Names in lower case, and values."""


@dataclass
class RawResponse:
    """A response as it came, piece by piece."""

    status: int = 500
    """What a real server responds if the application fails before it says anything."""
    headers: Headers = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)


def http_scope(
    method: str,
    path: str,
    host: str,
    headers: Headers,
    *,
    query: bytes = b"",
    address: str = "127.0.0.1",
) -> Scope:
    """What a server passes to the application about a request."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": (address, 50000),
        "server": (host, 80),
    }


def authorization(person: Person) -> tuple[bytes, bytes]:
    """The header with the user's email address and API key."""
    login = f"{person.email}:{person.api_key}".encode()
    return b"authorization", b"Basic " + base64.b64encode(login)


class InProcessCycle:
    """What uvicorn would send a whole response with: takes its bytes apart again.

    It has the attributes that `http/whole_responses.py` uses, and no connection.
    """

    access_log = disconnected = response_started = response_complete = False
    keep_alive = True
    default_headers: ClassVar[Headers] = []
    waiting_for_100_continue = False

    def __init__(self, response: RawResponse, is_complete: asyncio.Event) -> None:
        self._response = response
        self.flow = SimpleNamespace(write_paused=False)
        self.transport = SimpleNamespace(write=self._take)
        self.message_event = is_complete

    def _take(self, response: bytes) -> None:
        head, _, body = response.partition(b"\r\n\r\n")
        status, *lines = head.split(b"\r\n")
        self._response.status = int(status.split()[1])
        for line in lines:
            name, _, value = line.partition(b": ")
            self._response.headers.append((name, value))
        self._response.pieces.append(body)

    def on_response(self) -> None:
        """Where uvicorn begins to wait for the next request."""


async def send_request(
    app: ASGIApp, scope: Scope, pieces: Iterable[bytes], response: RawResponse
) -> None:
    """Send a request, with its body in pieces, and fill the response while it comes.

    The client stays connected until the response is complete.
    """
    unsent = list(pieces)[::-1] or [b""]
    is_complete = asyncio.Event()

    async def receive() -> Message:
        if unsent:
            piece = unsent.pop()
            return {"type": "http.request", "body": piece, "more_body": bool(unsent)}
        await is_complete.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            response.status = message["status"]
            response.headers = message["headers"]
        else:
            response.pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                is_complete.set()

    scope[CYCLE] = InProcessCycle(response, is_complete)
    await app(scope, receive, send)
