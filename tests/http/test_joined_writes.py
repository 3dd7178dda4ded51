"""The head of a response goes out with its body; nothing waits that a client waits for."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from chatapi.http.connections import BoundedHttpProtocol
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


async def test_small_response_is_one_write() -> None:
    async def respond(send: Send) -> None:
        await start(send, LENGTH)
        await send(BODY)

    async with connection(app_of(respond)) as (reader, writer):
        for _ in range(2):
            writer.write(request())
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            assert await reader.readexactly(5) == b"hello"
    assert [each[-5:] for each in CountingProtocol.written] == [b"hello", b"hello"]


async def test_requests_that_come_together_are_answered_in_order() -> None:
    async def echo(scope: Scope, _receive: Receive, send: Send) -> None:
        await start(send, (b"content-length", b"1"))
        await send({**BODY, "body": dict(scope["headers"])[b"x-number"]})

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
