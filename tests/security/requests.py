"""Requests whose only work on the event loop is the application's own."""

import asyncio
import base64
import gzip
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

import orjson
from starlette.types import Message, Scope

from chatapi.http.route import API_PREFIX
from chatapi.main import ChatApp
from tests.factories import Person
from tests.security.loop_watch import assert_short_steps
from tests.support.client import HOST, encode_form

_PIECE = 64 * 1024


@dataclass(frozen=True)
class Request:
    """One call of an endpoint; `as_` None for a client without an account."""

    method: str
    path: str
    as_: Person | None
    params: dict[str, object]
    address: str = "127.0.0.1"
    prefix: str = API_PREFIX
    file: bytes | None = None
    """Sent with the parameters as a form of parts."""

    @property
    def label(self) -> str:
        return f"{self.method} {self.path} {str(self.params)[:160]}"


@dataclass
class Reply:
    """The response."""

    status: int = 0
    chunks: list[bytes] = field(default_factory=list)
    is_compressed: bool = False

    @property
    def body(self) -> bytes:
        """Joined on access, which is not counted as the application's work."""
        body = b"".join(self.chunks)
        return gzip.decompress(body) if self.is_compressed else body

    def json(self) -> dict[str, Any]:
        payload: dict[str, Any] = orjson.loads(self.body)
        return payload


async def perform(app: ChatApp, request: Request, reply: Reply | None = None) -> Reply:
    """Call the application without a client library, whose work would count as the loop's.

    A `reply` that is passed can be looked at while it comes.
    """
    reply = reply or Reply()
    is_in_query = request.method in {"GET", "DELETE"}
    query = urlencode(encode_form(request.params)).encode() if is_in_query else b""
    pieces = deque([b""] if is_in_query else _pieces(request))

    async def receive() -> Message:
        if pieces:
            piece = pieces.popleft()
            return {"type": "http.request", "body": piece, "more_body": bool(pieces)}
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
            reply.is_compressed = (b"content-encoding", b"gzip") in message["headers"]
        else:
            reply.chunks.append(message.get("body", b""))

    await app(_scope(request, query), receive, send)
    return reply


async def assert_answered_in_short_steps(
    app: ChatApp, request: Request, status: int = 200, undo: Request | None = None
) -> Reply:
    """Assert that the request never blocks the event loop for too long."""

    async def ask() -> Reply:
        reply = await perform(app, request)
        assert reply.status == status, (request.label, reply.status, reply.body[:300])
        return reply

    return await assert_short_steps(ask, None if undo is None else partial(perform, app, undo))


def _pieces(request: Request) -> list[bytes]:
    """The body of a request, a file in pieces as they come from a connection."""
    values = encode_form(request.params)
    if request.file is None:
        return [urlencode(values).encode()]
    parts = [
        b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
        % (name.encode(), value.encode())
        for name, value in values.items()
    ]
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'
    body = b"".join([*parts, head, request.file, b"\r\n--b--\r\n"])
    return [body[start : start + _PIECE] for start in range(0, len(body), _PIECE)]


def _scope(request: Request, query: bytes) -> Scope:
    content_type = b"application/x-www-form-urlencoded"
    if request.file is not None:
        content_type = b"multipart/form-data; boundary=b"
    headers = [
        (b"host", HOST.encode()),
        (b"content-type", content_type),
        (b"user-agent", b"tests/1"),
        # Compressing is work of the application, too; zstd would take less time.
        (b"accept-encoding", b"gzip"),
    ]
    if request.as_ is not None:
        login = f"{request.as_.email}:{request.as_.api_key}".encode()
        headers.append((b"authorization", b"Basic " + base64.b64encode(login)))
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": request.prefix + request.path,
        "raw_path": (request.prefix + request.path).encode(),
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": (request.address, 50000),
        "server": (HOST, 80),
    }
