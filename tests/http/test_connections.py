"""Requests of one connection are read however their bytes are cut into packets."""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.main import ChatApp
from tests.support.live_server import live_server
from tests.support.waiting import MAX_WAIT_SECONDS

GET = b"GET /api/v1/server_settings HTTP/1.1\r\nHost: localhost\r\n\r\n"
REFUSED_LOGIN = (
    b"POST /api/v1/fetch_api_key HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 21\r\n\r\nusername=a&password=b"
)


@pytest.fixture(params=["sqlite"])
def backend(request: pytest.FixtureRequest) -> str:
    """What is looked at here never reaches the database."""
    return str(request.param)


class Connection:
    """Writes bytes as they are, and reads responses."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, data: bytes) -> None:
        self._writer.write(data)

    async def next_status(self) -> int:
        """Read a response, and return its status."""
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            head = await self._reader.readuntil(b"\r\n\r\n")
            lines = head.lower().split(b"\r\n")
            [length] = [line for line in lines if line.startswith(b"content-length:")]
            await self._reader.readexactly(int(length.partition(b":")[2]))
        return int(lines[0].split()[1])


@pytest.fixture
async def connection(app: ChatApp, realm: RealmRecord) -> AsyncIterator[Connection]:
    async with live_server(app) as url:
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        yield Connection(reader, writer)
        writer.close()


async def test_one_request_after_the_other_is_answered(connection: Connection) -> None:
    for _ in range(3):
        connection.send(GET)
        assert await connection.next_status() == 200


async def test_requests_in_one_packet_are_answered_in_order(connection: Connection) -> None:
    connection.send(GET + REFUSED_LOGIN + GET)
    assert [await connection.next_status() for _ in range(3)] == [200, 401, 200]


@pytest.mark.parametrize(
    ("following", "status"), [(GET, 200), (REFUSED_LOGIN, 401)], ids=["GET", "POST"]
)
async def test_request_that_begins_in_the_packet_of_the_one_before_is_answered(
    connection: Connection, following: bytes, status: int
) -> None:
    for cut in (1, 40, len(following) - 3):
        connection.send(GET + following[:cut])
        # Its response shows that the server has read the beginning of the next request as well.
        assert await connection.next_status() == 200
        connection.send(following[cut:])
        assert await connection.next_status() == status


async def test_blank_lines_between_requests_are_ignored(connection: Connection) -> None:
    connection.send(GET)
    assert await connection.next_status() == 200
    connection.send(b"\r\n")
    connection.send(b"\r\n" + GET)
    assert await connection.next_status() == 200


async def test_request_for_another_protocol_is_answered_as_usual(connection: Connection) -> None:
    upgrade = GET.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
    connection.send(upgrade)
    assert await connection.next_status() == 200
