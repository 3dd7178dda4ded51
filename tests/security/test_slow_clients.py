"""Connections of clients that send slowly or too much end; waiting ones do not."""

import asyncio
import base64
import json
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import ClassVar
from urllib.parse import urlsplit

import httpx
import pytest
from typing_extensions import TypedDict, override

from chatapi.auth.guards import Anybody
from chatapi.auth.realm_cache import RealmRecord
from chatapi.http.connections import BoundedHttpProtocol
from chatapi.http.route import FeatureRouter
from chatapi.main import ChatApp
from tests.factories import Person
from tests.support.client import ApiClient, basic_auth
from tests.support.listening import listen
from tests.support.live_server import live_server
from tests.support.responses import assert_success
from tests.support.sample_events import Noted, commit_events
from tests.support.waiting import MAX_WAIT_SECONDS, until, until_polls_wait

GET = b"GET /api/v1/server_settings HTTP/1.1\r\nHost: localhost\r\n"
LARGE = 30_000_000
"""Bytes: more than the buffers of the system take."""
IDLE_CLIENTS = 10


class ImpatientProtocol(BoundedHttpProtocol):
    """Checks timeouts so often that a test need not wait."""

    check_seconds = 0.05
    head_seconds = 0.2
    answer_seconds = 0.3
    made: ClassVar[list[BoundedHttpProtocol]] = []

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        super().connection_made(transport)
        self.made.append(self)

    @classmethod
    def unsent(cls) -> int:
        """Bytes that the server buffers for clients."""
        return sum(each.transport.get_write_buffer_size() for each in cls.made)


router = FeatureRouter("Tests")


class LargePayload(TypedDict):
    text: str


@router.get("/test/large")
async def large(ctx: Anybody) -> LargePayload:
    """A response that does not fit into any buffer."""
    return {"text": "x" * LARGE}


@pytest.fixture
def extra_routes() -> tuple[FeatureRouter, ...]:
    return (router,)


class NotingProtocol(ImpatientProtocol):
    """Records when a connection has ended, which a client that reads nothing cannot detect."""

    ended: ClassVar[asyncio.Event]

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.ended.set()


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """What is looked at here never reaches the database."""
    return str(request.param)


@pytest.fixture
async def url(app: ChatApp, realm: RealmRecord) -> AsyncIterator[str]:
    async with live_server(app, ImpatientProtocol) as url:
        yield url


async def answer_to(url: str, *pieces: bytes) -> bytes:
    """All that a server sends on one connection until it closes it."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        for piece in pieces:
            writer.write(piece)
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


async def test_silent_connection_is_ended(url: str) -> None:
    assert await answer_to(url) == b""


async def test_head_that_does_not_end_is_not_waited_for(url: str) -> None:
    assert await answer_to(url, GET + b"X-More: ") == b""


async def test_head_that_comes_byte_by_byte_is_not_waited_for(url: str) -> None:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(GET)
    reading = asyncio.create_task(reader.read())
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        while not reading.done():
            writer.write(b"X-More: 1\r\n")
            await asyncio.wait({reading}, timeout=0.02)
    writer.close()
    assert reading.exception() is not None or reading.result() == b""


async def test_body_that_does_not_end_is_not_waited_for(url: str) -> None:
    head = b"POST /api/v1/fetch_api_key HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
    assert await answer_to(url, head + b"username=") == b""


async def test_blank_lines_do_not_keep_a_connection(url: str) -> None:
    assert await answer_to(url, b"\r\n" * 10) == b""


@pytest.mark.parametrize(
    "head",
    [
        GET + b"X-Large: " + b"x" * 70_000 + b"\r\n\r\n",
        GET + b"X-Large: " + b"x" * 300_000,
        GET + b"\r\n" + GET + b"X-Large: " + b"x" * 70_000 + b"\r\n\r\n",
        b"GET /api/v1/users?" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /" + b"%41" * 2_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
    ids=["header", "header without end", "header of a second request", "query", "path"],
)
async def test_large_head_is_refused(url: str, head: bytes) -> None:
    response = await answer_to(url, head)
    assert response == b"" or b"HTTP/1.1 400 " in response


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        (
            b"GET /api/v1/users?" + b"x" * 65_600 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "The address and the headers are larger than 65536 bytes",
        ),
        (
            b"GET /" + b"%41" * 2_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "The path is longer than 4096 characters",
        ),
        (b"no request\r\n\r\n", "Invalid HTTP request received."),
    ],
    ids=["query", "path", "no HTTP"],
)
async def test_refusal_is_an_error_of_the_api(url: str, head: bytes, problem: str) -> None:
    lines, _, body = (await answer_to(url, head)).partition(b"\r\n\r\n")
    assert lines.startswith(b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\n")
    assert b"x-request-id: " in lines
    assert json.loads(body) == {"result": "error", "msg": problem, "code": "BAD_REQUEST"}


async def test_large_body_after_a_small_head_is_read(url: str, member: Person) -> None:
    async with httpx.AsyncClient(
        base_url=url, auth=basic_auth(member), timeout=MAX_WAIT_SECONDS
    ) as http:
        values = {"title": "Hello", "content": "Hello", "unknown": "x" * 1_000_000}
        response = await http.post("/api/v1/saved_snippets", data=values)
    assert response.status_code == 200


async def test_client_that_takes_no_response_is_not_waited_for(
    app: ChatApp, client: ApiClient, member: Person
) -> None:
    """Its response is far larger than the kernel's buffers."""
    snippet = {"title": "Long", "content": "x" * 10_000}
    for _ in range(20):
        assert_success(await client.post("/saved_snippets", member, **snippet))
    login = base64.b64encode(f"{member.email}:{member.api_key}".encode())
    request = b"GET /api/v1/saved_snippets HTTP/1.1\r\nHost: localhost\r\n"
    request += b"Authorization: Basic " + login + b"\r\n\r\n"
    NotingProtocol.ended = asyncio.Event()
    async with live_server(app, NotingProtocol) as url:
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            connection.connect(("127.0.0.1", urlsplit(url).port))
            # Each of many responses waits for the one before it.
            connection.sendall(request * 100)
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await NotingProtocol.ended.wait()


async def test_waiting_poll_is_not_ended(
    app: ChatApp, url: str, realm: RealmRecord, member: Person, client: ApiClient
) -> None:
    listener = await listen(client, member, event_types=["test_note"])
    async with httpx.AsyncClient(
        base_url=url, auth=basic_auth(member), timeout=MAX_WAIT_SECONDS
    ) as http:
        values = {"queue_id": listener.queue_id, "last_event_id": "-1"}
        poll = asyncio.create_task(http.get("/api/v1/events", params=values))
        await until_polls_wait(app.runtime, realm)
        # If waiting for a response counted, it would have ended: the silent connection has.
        for _ in range(3):
            assert await answer_to(url) == b""
        await commit_events(app.runtime, realm, Noted(text="a"))
        assert [event["text"] for event in (await poll).json()["events"]] == ["a"]


async def ask_for_large(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=1)
    writer.write(b"GET /api/v1/test/large HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return reader, writer


async def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    with suppress(ConnectionError):
        await writer.wait_closed()


@pytest.mark.slow
async def test_responses_for_clients_that_read_nothing_are_not_kept(url: str) -> None:
    ImpatientProtocol.made.clear()
    clients = [await ask_for_large(url) for _ in range(IDLE_CLIENTS)]
    await until(lambda: len(ImpatientProtocol.made) == IDLE_CLIENTS)
    await until(lambda: all(each.transport.is_closing() for each in ImpatientProtocol.made))
    assert ImpatientProtocol.unsent() == 0
    for _reader, writer in clients:
        await hang_up(writer)


class StrictProtocol(BoundedHttpProtocol):
    """Gives a response little time as a whole."""

    check_seconds = 0.2
    answer_seconds = 0.3


async def test_response_that_is_read_bit_by_bit_ends_after_a_time(
    app: ChatApp, realm: RealmRecord
) -> None:
    async with live_server(app, StrictProtocol) as url:
        reader, writer = await ask_for_large(url)
        taken = 0
        with suppress(ConnectionError):
            while piece := await reader.read(40_000):
                taken += len(piece)
                await asyncio.sleep(0.002)
        assert taken < LARGE
        await hang_up(writer)


async def test_connection_is_used_for_several_requests(url: str) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=MAX_WAIT_SECONDS) as http:
        for _ in range(3):
            assert (await http.get("/api/v1/server_settings")).status_code == 200
