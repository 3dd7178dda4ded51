"""Requests whose only work on the event loop is the application's own."""

import gzip
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

import orjson
from starlette.types import Scope
from typing_extensions import override

from chatapi.http.route import API_PREFIX
from chatapi.main import ChatApp
from tests.factories import Person
from tests.security.loop_watch import assert_short_steps
from tests.support.asgi_requests import (
    FORM_TYPE,
    RawResponse,
    authorization,
    http_scope,
    send_request,
)
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
class Reply(RawResponse):
    """The response."""

    @property
    def is_compressed(self) -> bool:
        return (b"content-encoding", b"gzip") in self.headers

    @property
    @override
    def body(self) -> bytes:
        """Joined on access, which is not counted as the application's work."""
        body = super().body
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
    pieces = [] if is_in_query else _pieces(request)
    await send_request(app, _scope(request, query), pieces, reply)
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
    is_file = request.file is not None
    headers = [
        (b"host", HOST.encode()),
        (b"content-type", b"multipart/form-data; boundary=b" if is_file else FORM_TYPE),
        (b"user-agent", b"tests/1"),
        # Compressing is work of the application, too; zstd would take less time.
        (b"accept-encoding", b"gzip"),
    ]
    if request.as_ is not None:
        headers.append(authorization(request.as_))
    path = request.prefix + request.path
    return http_scope(request.method, path, HOST, headers, query=query, address=request.address)
