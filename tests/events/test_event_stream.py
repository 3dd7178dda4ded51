"""GET /events as server-sent events: the same events with the same ids, over real connections."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import orjson
import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.main import ChatApp
from tests.factories import Person
from tests.support.client import ApiClient, basic_auth
from tests.support.event_streams import Streams, messages
from tests.support.listening import Listener, listen
from tests.support.live_server import live_server
from tests.support.sample_events import Noted, PersonTouched, Whispered, commit_events
from tests.support.waiting import MAX_WAIT_SECONDS, until_polls_wait


@pytest.fixture
async def streams(app: ChatApp) -> AsyncIterator[Streams]:
    async with live_server(app) as url:
        yield Streams(url)


@pytest.fixture
async def listener(client: ApiClient, member: Person) -> Listener:
    return await listen(client, member, event_types=["test_note", "test_whisper"])


class TestEventStream:
    async def test_delivers_earlier_and_new_events(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, streams: Streams
    ) -> None:
        await commit_events(runtime, realm, Noted(text="before"))
        async with streams.open(listener) as response:
            assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
            assert response.headers["cache-control"] == "no-store, private"
            stream = messages(response)
            first = await anext(stream)
            await until_polls_wait(runtime, realm)
            await commit_events(runtime, realm, Noted(text="after"))
            second = await anext(stream)
        polled = (await listener.poll(dont_block=True))["events"]
        assert [first.data, second.data] == polled
        assert [first.id, second.id] == [str(event["id"]) for event in polled]

    async def test_resumes_after_the_last_event_id(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, streams: Streams
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        seen = str(listener.id_after(1))
        async with streams.open(listener, resume_after=seen) as response:
            assert (await anext(messages(response))).data["text"] == "b"

    @pytest.mark.parametrize("nonsense", ["x", "-1", "²", "9" * 5000, ""])
    async def test_invalid_last_event_id_header_is_ignored(
        self,
        runtime: Runtime,
        realm: RealmRecord,
        listener: Listener,
        client: ApiClient,
        nonsense: str,
    ) -> None:
        answer = await client.call(
            "GET",
            "/events",
            listener.person,
            params={"queue_id": "unknown"},
            headers={"Accept": "text/event-stream", "Last-Event-ID": nonsense.encode("latin-1")},
        )
        assert answer["code"] == "BAD_EVENT_QUEUE_ID"

    async def test_ephemeral_events_are_delivered(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, streams: Streams
    ) -> None:
        await commit_events(runtime, realm, Whispered(text="waiting"))
        async with streams.open(listener) as response:
            stream = messages(response)
            assert (await anext(stream)).data["text"] == "waiting"
            await until_polls_wait(runtime, realm)
            await commit_events(runtime, realm, Whispered(text="live"))
            assert (await anext(stream)).data["text"] == "live"

    async def test_stream_ends_when_the_client_disconnects(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, streams: Streams
    ) -> None:
        async with streams.open(listener):
            await until_polls_wait(runtime, realm)
        await until_polls_wait(runtime, realm, 0)

    async def test_end_of_the_queue_is_sent_as_last_message(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        listener: Listener,
        streams: Streams,
    ) -> None:
        async with streams.open(listener) as response:
            await until_polls_wait(runtime, realm)
            await client.delete("/events", listener.person, queue_id=listener.queue_id)
            (last,) = [message async for message in messages(response)]
        assert last.kind == "error"
        assert last.data["code"] == "BAD_EVENT_QUEUE_ID"

    async def test_stream_ends_when_its_reader_changes(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, streams: Streams
    ) -> None:
        async with streams.open(listener) as response:
            await until_polls_wait(runtime, realm)
            await commit_events(
                runtime, realm, PersonTouched(user_ids=frozenset({listener.person.user_id}))
            )
            assert [message async for message in messages(response)] == []

    async def test_a_bad_queue_is_an_ordinary_error(
        self, listener: Listener, streams: Streams
    ) -> None:
        listener.queue_id = "unknown"
        async with streams.open(listener) as response:
            assert response.status_code == 400
            assert (orjson.loads(await response.aread()))["code"] == "BAD_EVENT_QUEUE_ID"


class TestHeartbeats:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"heartbeat_seconds": 0.05})

    async def test_keep_the_connection_alive(self, listener: Listener, streams: Streams) -> None:
        async with streams.open(listener) as response:
            stream = messages(response)
            beats = [await anext(stream) for _ in range(3)]
        assert [beat.data["type"] for beat in beats] == ["heartbeat"] * 3


class TestLongPollOverAConnection:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        """A poll whose client has gone ends with the next heartbeat."""
        return settings.model_copy(update={"heartbeat_seconds": 1})

    async def test_disconnected_client_loses_no_logged_event(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, app: ChatApp
    ) -> None:
        async with (
            live_server(app) as url,
            httpx.AsyncClient(base_url=url, timeout=MAX_WAIT_SECONDS) as http,
        ):
            params = {"queue_id": listener.queue_id, "last_event_id": str(listener.last_event_id)}
            poll = asyncio.create_task(
                http.get("/api/v1/events", params=params, auth=basic_auth(listener.person))
            )
            await until_polls_wait(runtime, realm)
            poll.cancel()
            await asyncio.gather(poll, return_exceptions=True)
            await commit_events(runtime, realm, Noted(text="a"))
            assert [event["text"] for event in await listener.new_events()] == ["a"]

    async def test_disconnected_client_loses_no_ephemeral_event(
        self, runtime: Runtime, realm: RealmRecord, listener: Listener, app: ChatApp
    ) -> None:
        async with (
            live_server(app) as url,
            httpx.AsyncClient(base_url=url, timeout=MAX_WAIT_SECONDS) as http,
        ):
            params = {"queue_id": listener.queue_id, "last_event_id": str(listener.last_event_id)}
            poll = asyncio.create_task(
                http.get("/api/v1/events", params=params, auth=basic_auth(listener.person))
            )
            await until_polls_wait(runtime, realm)
            poll.cancel()
            await asyncio.gather(poll, return_exceptions=True)
            await until_polls_wait(runtime, realm, 0)
            await commit_events(runtime, realm, Whispered(text="a"))
            assert [event["text"] for event in await listener.new_events()] == ["a"]
