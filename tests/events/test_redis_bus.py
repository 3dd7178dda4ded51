"""The bus between processes, on a real Valkey that is killed and restarted."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import replace
from redis.exceptions import TimeoutError as RedisTimeoutError
from structlog.testing import CapturingLogger

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.clock import stopwatch
from chatapi.core.ids import RealmId
from chatapi.core.settings import Settings
from chatapi.events import redis_bus
from chatapi.events.bus import Batch
from chatapi.events.redis_bus import RedisBus, stream_name
from chatapi.main import ChatApp
from tests.factories import Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.sample_events import Noted, Whispered, commit_events, entry
from tests.support.temporary_valkey import TemporaryValkey
from tests.support.waiting import MAX_WAIT_SECONDS, until, until_polls_wait, until_true

PROBE = "probe"
DEPLOYMENT = "ours"
MOMENTS = 100


class Inbox:
    """What a process received over the bus."""

    def __init__(self, url: str, deployment: str = DEPLOYMENT) -> None:
        self.bus = RedisBus(url)
        self.deployment = deployment
        self.received: list[Batch] = []
        self.ignored: set[RealmId] = set()

    async def start(self) -> None:
        """Subscribe, and return once the subscription is confirmed."""
        await self.bus.start(self.received.append, self.find_deployment, self.follows)
        probe: dict[Any, Any] = {b"sender": b"a test", b"batch": note(PROBE).encode()}

        async def hears() -> bool:
            await self.bus._redis.xadd(stream_name(self.deployment), probe)
            return bool(self.received)

        await until_true(hears)

    async def find_deployment(self) -> str:
        return self.deployment

    def follows(self, realm_id: RealmId) -> bool:
        return realm_id not in self.ignored

    def texts(self) -> list[object]:
        told = [
            entry.event.model_dump()["text"] for batch in self.received for entry in batch.logged
        ]
        return [text for text in told if text != PROBE]


def note(text: str) -> Batch:
    return Batch(entry(1).realm_id, logged=(entry(1, Noted(text=text)),))


async def is_heard(sender: Inbox, reader: Inbox, text: str) -> bool:
    """Publish once more, and tell whether one of these batches has arrived."""
    sender.bus.publish(note(text))
    return text in reader.texts()


async def expires_within_a_day(inbox: Inbox) -> bool:
    seconds = await inbox.bus._redis.ttl(stream_name(inbox.deployment))
    return 0 < seconds <= 24 * 60 * 60


@pytest.fixture
async def inboxes(valkey: TemporaryValkey) -> AsyncIterator[list[Inbox]]:
    inboxes = [Inbox(valkey.url) for _ in range(2)]
    for inbox in inboxes:
        await inbox.start()
    yield inboxes
    for inbox in inboxes:
        await inbox.bus.close()


class TestBus:
    async def test_delivers_to_other_processes_and_not_to_the_sender(
        self, inboxes: list[Inbox]
    ) -> None:
        sender, reader = inboxes
        sender.bus.publish(note("a"))
        await until(lambda: reader.texts() == ["a"])
        reader.bus.publish(note("b"))
        await until(lambda: sender.texts() == ["b"])
        assert reader.texts() == ["a"]

    async def test_keeps_the_order(self, inboxes: list[Inbox]) -> None:
        sender, reader = inboxes
        for number in range(300):
            sender.bus.publish(note(str(number)))
        await until(lambda: len(reader.texts()) == 300)
        assert reader.texts() == [str(number) for number in range(300)]

    async def test_closing_sends_pending_batches_first(
        self, inboxes: list[Inbox], valkey: TemporaryValkey
    ) -> None:
        leaving = Inbox(valkey.url)
        await leaving.start()
        leaving.bus.publish(note("last words"))
        await leaving.bus.close()
        await until(lambda: inboxes[0].texts() == ["last words"])

    async def test_reports_its_health(self, inboxes: list[Inbox], valkey: TemporaryValkey) -> None:
        bus = inboxes[0].bus
        assert await bus.is_healthy()
        valkey.kill()
        assert not await bus.is_healthy()
        valkey.start()
        assert await bus.is_healthy()

    async def test_works_again_when_the_server_is_back(
        self, inboxes: list[Inbox], valkey: TemporaryValkey
    ) -> None:
        sender, reader = inboxes
        valkey.kill()
        sender.bus.publish(note("lost"))
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await sender.bus._waiting.join()
        valkey.start()
        await until_true(lambda: is_heard(sender, reader, "again"))
        assert "lost" not in reader.texts()

    async def test_stream_expires_if_nothing_is_published_for_a_day(
        self, inboxes: list[Inbox], valkey: TemporaryValkey
    ) -> None:
        sender, reader = inboxes
        sender.bus.publish(note("a"))
        await until_true(lambda: expires_within_a_day(sender))
        # A server that was lost comes back without the stream.
        valkey.kill()
        sender.bus.publish(note("lost"))
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await sender.bus._waiting.join()
        valkey.start()
        await until_true(lambda: is_heard(sender, reader, "again"))
        await until_true(lambda: expires_within_a_day(sender))

    async def test_expiry_of_the_stream_is_renewed_when_a_minute_has_passed(
        self, inboxes: list[Inbox]
    ) -> None:
        sender, reader = inboxes
        sender.bus.publish(note("a"))
        await until(lambda: sender.bus._expiry_due > 0)
        await sender.bus._redis.persist(stream_name(DEPLOYMENT))
        sender.bus.publish(note("b"))
        await until(lambda: reader.texts() == ["a", "b"])
        assert not await expires_within_a_day(sender)
        sender.bus._expiry_due = stopwatch()
        sender.bus.publish(note("c"))
        await until_true(lambda: expires_within_a_day(sender))

    async def test_another_deployment_on_the_same_server_receives_nothing(
        self, inboxes: list[Inbox], valkey: TemporaryValkey
    ) -> None:
        stranger = Inbox(valkey.url, "theirs")
        await stranger.start()
        inboxes[0].bus.publish(note("a"))
        await until(lambda: inboxes[1].texts() == ["a"])
        friend = Inbox(valkey.url, "theirs")
        await friend.start()
        friend.bus.publish(note("b"))
        await until(lambda: stranger.texts() == ["b"])
        assert inboxes[1].texts() == ["a"]
        for inbox in (stranger, friend):
            await inbox.bus.close()

    async def test_connection_loss_and_recovery_are_logged_once(
        self, inboxes: list[Inbox], valkey: TemporaryValkey, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # Whatever level other tests have configured.
        log = CapturingLogger()
        monkeypatch.setattr(redis_bus, "log", log)
        bus = inboxes[0].bus
        valkey.kill()
        for _ in range(5):
            bus.publish(note("lost"))
        await until(bus._waiting.empty)
        await until(lambda: bus._retry_seconds > 1)
        valkey.start()
        await until(lambda: not any(inbox.bus._is_lost for inbox in inboxes))
        lines = sorted(call.args for call in log.calls)
        assert lines == [("bus_back",)] * len(inboxes) + [("bus_lost",)] * len(inboxes)

    async def test_waits_for_a_database_that_becomes_available_later(
        self, inboxes: list[Inbox], valkey: TemporaryValkey
    ) -> None:
        attempts: list[str] = []

        async def find_deployment() -> str:
            attempts.append("try")
            if len(attempts) == 1:
                raise ConnectionRefusedError
            return DEPLOYMENT

        bus = RedisBus(valkey.url)
        await bus.start(lambda _batch: None, find_deployment, lambda _realm_id: True)
        bus.publish(note("late"))
        await until(lambda: inboxes[0].texts() == ["late"])
        await bus.close()

    async def test_events_of_realms_that_a_process_does_not_follow_are_not_passed_on(
        self, inboxes: list[Inbox]
    ) -> None:
        sender, reader = inboxes
        reader.ignored.add(note("a").realm_id)
        sender.bus.publish(note("a"))
        other = RealmId(note("b").realm_id + 1)
        sender.bus.publish(replace(note("b"), realm_id=other))
        await until(lambda: reader.texts() == ["b"])

    async def test_unreadable_batch_does_not_stop_the_bus(self, inboxes: list[Inbox]) -> None:
        sender, reader = inboxes
        nonsense: dict[Any, Any] = {b"sender": b"x", b"batch": b"{}"}
        await sender.bus._redis.xadd(stream_name(DEPLOYMENT), nonsense)
        sender.bus.publish(note("a"))
        await until(lambda: reader.texts() == ["a"])


class TestClosing:
    """The Redis client can mistake a cancellation for a failure of its own, and retry."""

    async def test_at_any_moment_ends_without_reporting_a_loss(
        self, valkey: TemporaryValkey, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = CapturingLogger()
        monkeypatch.setattr(redis_bus, "log", log)
        for turns in range(MOMENTS):
            inbox = Inbox(valkey.url)
            await inbox.bus.start(inbox.received.append, inbox.find_deployment, inbox.follows)
            if turns % 2:
                inbox.bus.publish(note("under way"))
            for _ in range(turns // 2):
                await asyncio.sleep(0)
            async with asyncio.timeout(MAX_WAIT_SECONDS):
                await inbox.bus.close()
        assert log.calls == []

    async def test_ends_while_pending_batches_cannot_be_sent(
        self, valkey: TemporaryValkey, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The cancellation of the task that appends is swallowed as well."""
        inbox = Inbox(valkey.url)
        await inbox.start()

        async def fail_when_cancelled(_stream: str, _batch: Batch) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise RedisTimeoutError from None

        monkeypatch.setattr(inbox.bus, "_append", fail_when_cancelled)
        inbox.bus.publish(note("never said"))
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await inbox.bus.close()

    async def test_ends_while_the_deployment_id_is_being_read(
        self, valkey: TemporaryValkey
    ) -> None:
        is_asked = asyncio.Event()

        async def fail_when_cancelled() -> str:
            is_asked.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise ConnectionResetError from None
            return DEPLOYMENT

        bus = RedisBus(valkey.url)
        await bus.start(lambda _batch: None, fail_when_cancelled, lambda _realm_id: True)
        await is_asked.wait()
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await bus.close()


class TestTwoProcesses:
    """Two applications on one database, with a bus between them."""

    @pytest.fixture
    def settings(self, settings: Settings, valkey: TemporaryValkey) -> Settings:
        return settings.model_copy(update={"redis_url": valkey.url})

    @pytest.fixture
    async def other(self, start_app: StartApp) -> ChatApp:
        return await start_app()

    @pytest.fixture
    async def listener(self, other: ChatApp, member: Person) -> Listener:
        return await listen(ApiClient(other), member, event_types=["test_note", "test_whisper"])

    async def test_events_reach_the_other_process(
        self, app: ChatApp, other: ChatApp, realm: RealmRecord, listener: Listener
    ) -> None:
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(other.runtime, realm)
        await commit_events(app.runtime, realm, Noted(text="a"))
        assert [event["text"] for event in await poll] == ["a"]

    async def test_ephemeral_events_reach_the_other_process_once(
        self, app: ChatApp, other: ChatApp, realm: RealmRecord, member: Person, listener: Listener
    ) -> None:
        here = await listen(ApiClient(app), member, event_types=["test_note", "test_whisper"])
        await commit_events(app.runtime, realm, Whispered(text="a"))
        await commit_events(app.runtime, realm, Noted(text="end"))
        for who in (here, listener):
            seen: list[object] = []
            while "end" not in seen:
                seen += [event["text"] for event in await who.next_events()]
            assert seen == ["a", "end"]

    async def test_without_the_server_the_log_delivers(
        self,
        app: ChatApp,
        other: ChatApp,
        realm: RealmRecord,
        listener: Listener,
        valkey: TemporaryValkey,
    ) -> None:
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(other.runtime, realm)
        valkey.kill()
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await commit_events(app.runtime, realm, Noted(text="a"))
            assert [event["text"] for event in await poll] == ["a"]

    async def test_queue_deleted_here_ends_a_poll_in_the_other_process(
        self, client: ApiClient, other: ChatApp, realm: RealmRecord, listener: Listener
    ) -> None:
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(other.runtime, realm)
        await client.delete("/events", listener.person, queue_id=listener.queue_id)
        assert (await poll)["code"] == "BAD_EVENT_QUEUE_ID"
