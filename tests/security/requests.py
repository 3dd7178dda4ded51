"""Requests of a test that are nothing but the application's own work on the event loop."""

import asyncio
import base64
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Request:
    """One call of an endpoint; `as_` None for a client without an account."""

    method: str
    path: str
    as_: Person | None
    params: dict[str, object]
    address: str = "127.0.0.1"

    @property
    def label(self) -> str:
        return f"{self.method} {self.path} {str(self.params)[:160]}"


@dataclass
class Reply:
    """What came back."""

    status: int = 0
    body: bytes = b""

    def json(self) -> dict[str, Any]:
        payload: dict[str, Any] = orjson.loads(self.body)
        return payload


async def perform(app: ChatApp, request: Request) -> Reply:
    """Call the application without a client library, whose work would count as the loop's."""
    reply = Reply()
    chunks: list[bytes] = []
    is_in_query = request.method in {"GET", "DELETE"}
    encoded = urlencode(encode_form(request.params)).encode()
    body = [b"" if is_in_query else encoded]

    async def receive() -> Message:
        if body:
            return {"type": "http.request", "body": body.pop(), "more_body": False}
        await asyncio.Event().wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            reply.status = message["status"]
        else:
            chunks.append(message.get("body", b""))

    await app(_scope(request, encoded if is_in_query else b""), receive, send)
    reply.body = b"".join(chunks)
    return reply


async def assert_answered_in_short_steps(
    app: ChatApp, request: Request, status: int = 200, undo: Request | None = None
) -> Reply:
    """Whatever the request does, others get their turn in time."""

    async def ask() -> Reply:
        reply = await perform(app, request)
        assert reply.status == status, (request.label, reply.status, reply.body[:300])
        return reply

    return await assert_short_steps(ask, None if undo is None else partial(perform, app, undo))


def _scope(request: Request, query: bytes) -> Scope:
    headers = [
        (b"host", HOST.encode()),
        (b"content-type", b"application/x-www-form-urlencoded"),
        (b"user-agent", b"tests/1"),
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
        "path": API_PREFIX + request.path,
        "raw_path": (API_PREFIX + request.path).encode(),
        "query_string": query,
        "root_path": "",
        "headers": headers,
        "client": (request.address, 50000),
        "server": (HOST, 80),
    }
