"""Polls that wait on real connections: their responses are those of polls that do not wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.http.compression import MIN_BYTES
from chatapi.http.route import API_PREFIX
from chatapi.http.whole_responses import MAX_BYTES
from chatapi.main import ChatApp
from tests.factories import Person
from tests.support.client import basic_auth
from tests.support.live_server import live_server
from tests.support.sample_events import Noted, commit_events
from tests.support.waiting import MAX_WAIT_SECONDS, until_polls_wait

pytestmark = pytest.mark.any_database

OF_EACH_REQUEST = {"x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset", "date"}


@pytest.fixture
async def address(app: ChatApp) -> AsyncIterator[str]:
    async with live_server(app) as address:
        yield address


class Connection:
    """One connection of a client with a queue of its own."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http
        self.params: dict[str, str] = {}

    async def register(self) -> None:
        data = {"event_types": '["test_note"]', "fetch_event_types": "[]"}
        response = await self.http.post("/register", data=data)
        state = response.json()
        self.params = {
            "queue_id": state["queue_id"],
            "last_event_id": str(state["last_event_id"]),
        }

    async def poll(self, **params: str) -> httpx.Response:
        response = await self.http.get("/events", params={**self.params, **params})
        response.raise_for_status()
        return response

    def acknowledge(self, response: httpx.Response) -> None:
        self.params["last_event_id"] = str(response.json()["events"][-1]["id"])


async def connect(stack: AsyncExitStack, address: str, person: Person) -> Connection:
    http = await stack.enter_async_context(
        httpx.AsyncClient(
            base_url=address + API_PREFIX,
            auth=basic_auth(person),
            timeout=MAX_WAIT_SECONDS,
            headers={"Accept-Encoding": "identity"},
            limits=httpx.Limits(max_connections=1),
        )
    )
    del http.headers["Accept-Encoding"]
    connection = Connection(http)
    await connection.register()
    return connection


@pytest.fixture
async def connection(address: str, member: Person) -> AsyncIterator[Connection]:
    async with AsyncExitStack() as stack:
        yield await connect(stack, address, member)


def lasting_headers(response: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name not in OF_EACH_REQUEST}


async def test_response_equals_that_of_a_poll_that_does_not_wait(
    runtime: Runtime, realm: RealmRecord, connection: Connection
) -> None:
    waiting = asyncio.create_task(connection.poll())
    await until_polls_wait(runtime, realm)
    await commit_events(runtime, realm, Noted(text="a"))
    waited, later = await waiting, await connection.poll()
    assert waited.content == later.content
    assert lasting_headers(waited) == lasting_headers(later)


async def test_unknown_parameters_are_listed(
    runtime: Runtime, realm: RealmRecord, connection: Connection
) -> None:
    waiting = asyncio.create_task(connection.poll(unknown="1"))
    await until_polls_wait(runtime, realm)
    await commit_events(runtime, realm, Noted(text="a"))
    assert (await waiting).json()["ignored_parameters_unsupported"] == ["unknown"]


@pytest.mark.parametrize("coding", ["gzip", ""])
async def test_large_response_is_compressed_if_the_client_accepts_that(
    runtime: Runtime, realm: RealmRecord, connection: Connection, coding: str
) -> None:
    if coding:
        connection.http.headers["Accept-Encoding"] = coding
    waiting = asyncio.create_task(connection.poll())
    await until_polls_wait(runtime, realm)
    text = "a" * MIN_BYTES
    await commit_events(runtime, realm, Noted(text=text))
    response = await waiting
    assert response.headers.get("content-encoding", "") == coding
    assert [event["text"] for event in response.json()["events"]] == [text]


@pytest.mark.parametrize("size", [MIN_BYTES, 2 * MAX_BYTES])
async def test_polls_that_end_together_get_the_form_that_suits_each(
    runtime: Runtime, realm: RealmRecord, address: str, member: Person, size: int
) -> None:
    """The same as later, when each responds by itself."""
    codings = ("gzip", "zstd, gzip", "identity", "", "gzip", "zstd")
    async with AsyncExitStack() as stack:
        connections = [await connect(stack, address, member) for _ in codings]
        for connection, coding in zip(connections, codings, strict=True):
            if coding:
                connection.http.headers["Accept-Encoding"] = coding
        # One of them repeats a name that a link may have chosen.
        unknown: list[dict[str, str]] = [{}, {}, {}, {}, {"unknown": "1"}, {}]
        each = list(zip(connections, unknown, strict=True))
        polls = [asyncio.create_task(connection.poll(**params)) for connection, params in each]
        await until_polls_wait(runtime, realm, len(polls))
        await commit_events(runtime, realm, Noted(text="a" * size))
        waited = await asyncio.gather(*polls)
        later = [await connection.poll(**params) for connection, params in each]
    assert [form_of(response) for response in waited] == [form_of(response) for response in later]
    assert [response.headers.get("content-encoding") for response in waited] == [
        *("gzip", "zstd", None, None, None, "zstd")
    ]


def form_of(response: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    return response.num_bytes_downloaded, response.content, lasting_headers(response)


async def test_events_follow_each_other_on_one_connection(
    runtime: Runtime, realm: RealmRecord, connection: Connection
) -> None:
    texts = [str(number) for number in range(20)]
    received = []
    for text in texts:
        waiting = asyncio.create_task(connection.poll())
        await until_polls_wait(runtime, realm)
        await commit_events(runtime, realm, Noted(text=text))
        response = await waiting
        connection.acknowledge(response)
        received += [event["text"] for event in response.json()["events"]]
    assert received == texts


async def test_every_waiting_poll_gets_the_event_and_can_poll_again(
    runtime: Runtime, realm: RealmRecord, address: str, member: Person
) -> None:
    async with AsyncExitStack() as stack:
        connections = [await connect(stack, address, member) for _ in range(60)]
        for text in ("a", "b"):
            polls = [asyncio.create_task(each.poll()) for each in connections]
            await until_polls_wait(runtime, realm, len(polls))
            await commit_events(runtime, realm, Noted(text=text))
            responses = await asyncio.gather(*polls)
            assert [response.json()["events"][0]["text"] for response in responses] == [text] * 60
            for each, response in zip(connections, responses, strict=True):
                each.acknowledge(response)


async def test_head_gets_no_body(
    runtime: Runtime, realm: RealmRecord, connection: Connection
) -> None:
    waiting = asyncio.create_task(connection.http.head("/events", params=connection.params))
    await until_polls_wait(runtime, realm)
    await commit_events(runtime, realm, Noted(text="a"))
    response = await waiting
    assert (response.status_code, response.content) == (200, b"")
    assert int(response.headers["content-length"]) > 0
