"""Shutdown of a process: after SIGTERM it answers all open requests and ends."""

import asyncio
import json
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.settings import Settings
from tests.factories import Person
from tests.support.client import basic_auth
from tests.support.server_process import (
    START_TIMEOUT_SECONDS,
    STOP_TIMEOUT_SECONDS,
    ServerProcess,
    server_process,
)
from tests.support.waiting import MAX_WAIT_SECONDS, until

pytestmark = pytest.mark.slow

CONTENT = b"x" * 4000


@pytest.fixture
def server_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


class TestTermination:
    async def test_answers_waiting_polls_and_ends(
        self, settings: Settings, realm: RealmRecord, member: Person, server_folder: Path
    ) -> None:
        async with (
            server_process(server_folder, database_url=settings.database_url) as server,
            httpx.AsyncClient(
                base_url=f"{server.url}/api/v1",
                auth=basic_auth(member),
                timeout=START_TIMEOUT_SECONDS,
            ) as http,
        ):
            registered = (await http.post("/register")).json()
            position = {name: registered[name] for name in ("queue_id", "last_event_id")}
            sent: list[str] = []

            async def trace(step: str, _details: object) -> None:
                sent.extend([step] * (step == "http11.send_request_body.complete"))

            polls = [
                asyncio.create_task(
                    http.get("/events", params=position, extensions={"trace": trace})
                )
                for _ in range(3)
            ]
            await until(lambda: len(sent) == 3)
            # Sent later and already answered: by now the server has read the polls, too.
            await http.get("/users/me")
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await server.terminate()
                responses = [(await poll).json() for poll in polls]
        assert [response["events"][0]["type"] for response in responses] == ["heartbeat"] * 3

    async def test_upload_that_takes_too_long_gets_the_envelope(
        self, settings: Settings, realm: RealmRecord, member: Person, server_folder: Path
    ) -> None:
        async with (
            server_process(
                server_folder, database_url=settings.database_url, shutdown_grace_seconds="1"
            ) as server,
            half_an_upload(server, member) as (reader, _writer, _rest),
        ):
            await server.terminate()
            status, body = await read_answer(reader)
        assert (status, body["result"], body["code"]) == (503, "error", "SERVICE_UNAVAILABLE")

    @pytest.mark.parametrize("workers", [1, 2])
    async def test_upload_that_ends_within_the_grace_is_stored(
        self,
        settings: Settings,
        realm: RealmRecord,
        member: Person,
        server_folder: Path,
        workers: int,
    ) -> None:
        async with server_process(
            server_folder,
            ("--workers", str(workers)),
            database_url=settings.database_url,
            shutdown_grace_seconds="600",
        ) as server:
            async with half_an_upload(server, member) as (reader, writer, rest):
                ending = asyncio.create_task(server.terminate())
                # No client can connect any more: the server is about to end.
                await until(lambda: not server.listens(), STOP_TIMEOUT_SECONDS)
                writer.write(rest)
                status, body = await read_answer(reader)
                await ending
            assert (status, body["result"]) == (200, "success")
            await server.start()
            async with httpx.AsyncClient(
                base_url=server.url, timeout=START_TIMEOUT_SECONDS
            ) as http:
                stored = await http.get(body["url"], auth=basic_auth(member))
        assert (stored.status_code, stored.content) == (200, CONTENT)


@asynccontextmanager
async def half_an_upload(
    server: ServerProcess, person: Person
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]]:
    """A request whose first half the server has received, and the other half."""
    body = (
        b'--cut\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
        + CONTENT
        + b"\r\n--cut--\r\n"
    )
    credentials = b64encode(f"{person.email}:{person.api_key}".encode()).decode()
    head = (
        "POST /api/v1/user_uploads HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Basic {credentials}\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: multipart/form-data; boundary=cut\r\nExpect: 100-continue\r\n\r\n"
    )
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(head.encode() + body[:2000])
    async with asyncio.timeout(START_TIMEOUT_SECONDS):
        # Sent when the endpoint begins to read the body.
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
    try:
        yield reader, writer, body[2000:]
    finally:
        writer.close()


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    async with asyncio.timeout(STOP_TIMEOUT_SECONDS):
        response = await reader.read()
    head, _, body = response.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)
