"""A response goes out in one write where it can; nothing waits that a client waits for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from chatapi.http.connections import BoundedHttpProtocol
from chatapi.http.content import send_body
from chatapi.http.cors import CorsPolicy
from chatapi.http.request import ApiRequest
from chatapi.http.whole_responses import MAX_BYTES, Header
from tests.support.live_server import live_server
from tests.support.waiting import MAX_WAIT_SECONDS

LENGTH = (b"content-length", b"5")
BODY = {"type": "http.response.body", "body": b"hello"}


class CountingProtocol(BoundedHttpProtocol):
    """Notes what is written to the socket, write by write."""

    written: list[bytes]

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        type(self).written = []
        write = transport.write

        def note(data: bytes | bytearray | memoryview) -> None:
            if data:
                self.written.append(bytes(data))
            write(data)

        transport.write = note  # type: ignore[method-assign]
        super().connection_made(transport)


Respond = Callable[[Send], Awaitable[None]]


def app_of(respond: Respond) -> ASGIApp:
    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        await respond(send)

    return app


async def start(send: Send, *headers: tuple[bytes, bytes], status: int = 200) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})


@asynccontextmanager
async def connection(
    app: ASGIApp,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    async with live_server(app, CountingProtocol) as url, asyncio.timeout(MAX_WAIT_SECONDS):
        port = int(url.rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        yield reader, writer
        writer.close()


def request(method: str = "GET", *headers: str) -> bytes:
    return "\r\n".join([f"{method} / HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


def app_with(
    *further: Header, content: bytes = b"hello", cors: CorsPolicy | None = None
) -> ASGIApp:
    """Responds as all endpoints do."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = ApiRequest(scope, receive)
        request.cors = cors
        headers = ((b"content-type", b"text/plain"), (b"vary", b"Host"))
        await send_body(request, send, 200, headers, [content], further=further)

    return app


async def test_small_response_is_one_write() -> None:
    async with connection(app_with()) as (reader, writer):
        for _ in range(2):
            writer.write(request())
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
            assert await reader.readexactly(5) == b"hello"
    assert [each[-5:] for each in CountingProtocol.written] == [b"hello", b"hello"]


async def test_whole_response_has_the_headers_of_the_server_and_its_own() -> None:
    async with connection(app_with((b"x-own", b"1"))) as (reader, writer):
        writer.write(request())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    names = sorted(line.partition(":")[0] for line in head[1:] if line)
    assert names == [
        "content-length",
        "content-type",
        "date",
        "server",
        "vary",
        "x-own",
        "x-request-id",
    ]


async def test_response_for_a_page_of_a_listed_origin_is_one_write() -> None:
    origin = "https://app.example.com"
    async with connection(app_with(cors=CorsPolicy(origin))) as (reader, writer):
        writer.write(request("GET", f"Origin: {origin}"))
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        assert await reader.readexactly(5) == b"hello"
    assert f"access-control-allow-origin: {origin}" in head
    assert [line for line in head if line.startswith("vary")] == ["vary: Host, Origin"]
    assert [each[-5:] for each in CountingProtocol.written] == [b"hello"]


@pytest.mark.parametrize("version", ["1.0", "1.1"])
async def test_connection_ends_after_a_whole_response_if_the_client_wants_that(
    version: str,
) -> None:
    async with connection(app_with()) as (reader, writer):
        writer.write(request("GET", "Connection: close").replace(b"/1.1", f"/{version}".encode()))
        response = await reader.read()
    assert b"\r\nconnection: close\r\n" in response
    assert response.endswith(b"\r\n\r\nhello")


async def test_header_with_a_line_break_is_not_sent() -> None:
    async with connection(app_with((b"x-own", b"1\r\nset-cookie: a=b"))) as (reader, writer):
        writer.write(request())
        response = await reader.read()
    assert response.startswith(b"HTTP/1.1 500")
    assert b"set-cookie" not in response


async def test_large_response_is_sent_in_two_writes() -> None:
    content = b"x" * (MAX_BYTES + 1)
    async with connection(app_with(content=content)) as (reader, writer):
        writer.write(request())
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(len(content)) == content
    assert list(map(len, CountingProtocol.written[1:])) == [len(content)]


async def test_responses_to_a_client_that_reads_nothing_wait_for_it() -> None:
    """More of them than socket and buffer take."""
    content = b"x" * MAX_BYTES
    count = 200
    async with connection(app_with(content=content)) as (reader, writer):
        writer.write(request() * count)
        for _ in range(count):
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(len(content)) == content


async def test_requests_that_come_together_are_answered_in_order() -> None:
    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        number = dict(scope["headers"])[b"x-number"]
        await send_body(ApiRequest(scope, receive), send, 200, (), [number])

    async with connection(echo) as (reader, writer):
        writer.write(b"".join(request("GET", f"X-Number: {number}") for number in range(1, 5)))
        for number in range(1, 5):
            await reader.readuntil(b"\r\n\r\n")
            assert await reader.readexactly(1) == b"%d" % number


async def test_head_of_a_stream_does_not_wait_for_its_first_event() -> None:
    received = asyncio.Event()

    async def respond(send: Send) -> None:
        await start(send, (b"content-type", b"text/event-stream"))
        await received.wait()
        await send(BODY)

    async with connection(app_of(respond)) as (reader, writer):
        writer.write(request())
        assert b"text/event-stream" in await reader.readuntil(b"\r\n\r\n")
        received.set()
        assert b"hello" in await reader.readuntil(b"0\r\n\r\n")


@pytest.mark.parametrize("connection_header", ["keep-alive", "close"])
@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 304), ("GET", 204)])
async def test_response_without_a_body_is_sent(
    method: str, status: int, connection_header: str
) -> None:
    async def respond(send: Send) -> None:
        length = [LENGTH] if method == "HEAD" else []
        await start(send, *length, status=status)
        await send({**BODY, "body": b""})

    async with connection(app_of(respond)) as (reader, writer):
        writer.write(request(method, f"Connection: {connection_header}"))
        assert b"%d" % status in await reader.readuntil(b"\r\n\r\n")


async def test_client_that_waits_for_permission_to_send_a_body_gets_it() -> None:
    async def app(_scope: Scope, receive: Receive, send: Send) -> None:
        assert (await receive())["body"] == b"hello"
        await start(send, LENGTH)
        await send(BODY)

    async with connection(app) as (reader, writer):
        writer.write(request("POST", "Expect: 100-continue", "Content-Length: 5"))
        assert b"100 Continue" in await reader.readuntil(b"\r\n\r\n")
        writer.write(b"hello")
        assert b"200 OK" in await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(5) == b"hello"


async def test_large_body_follows_its_head() -> None:
    content = bytes(range(256)) * 1_024

    async def respond(send: Send) -> None:
        await start(send, (b"content-length", b"%d" % len(content)))
        await send({**BODY, "body": content})

    async with connection(app_of(respond)) as (reader, writer):
        writer.write(request())
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(len(content)) == content


async def test_head_is_sent_when_the_body_fails() -> None:
    async def respond(send: Send) -> None:
        await start(send, LENGTH)
        raise RuntimeError("the body cannot be read")

    async with connection(app_of(respond)) as (reader, writer):
        writer.write(request())
        assert b"200 OK" in await reader.read()
