"""Writes are forwarded to the leader of their realm, as long as there is one and it responds."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from chatapi.core.ids import RealmId
from chatapi.events import redis_peers, write_forwarding
from chatapi.events.peers import NoPeers, ProcessId
from chatapi.events.redis_peers import RedisPeers
from chatapi.events.write_forwarding import JsonObject, WriteForwarder
from tests.support.temporary_valkey import TemporaryValkey
from tests.support.waiting import MAX_WAIT_SECONDS, until, until_true

REALM = RealmId(7)
NOTES = "notes"
MOMENTS = 60


class Process:
    """A process that writes notes, and can be made to hesitate."""

    def __init__(self, url: str, deployment: str) -> None:
        self.peers = RedisPeers(url)
        self.forwarder = WriteForwarder(self.peers)
        self.forwarder.accept(NOTES, self.write)
        self.deployment = deployment
        self.written: list[list[JsonObject]] = []
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def start(self) -> None:
        await self.forwarder.start(self.find_deployment)

    async def find_deployment(self) -> str:
        return self.deployment

    async def write(self, realm_id: RealmId, items: Sequence[JsonObject]) -> list[JsonObject]:
        assert realm_id == REALM
        self.written.append(list(items))
        await self.may_go_on.wait()
        return [{"note": item["note"].upper()} for item in items]

    async def forward(self, note: str) -> JsonObject | None:
        return await self.forwarder.forward(REALM, NOTES, {"note": note})

    async def lead(self) -> None:
        """Hold the lease for as long as the test may take."""

        async def is_leader() -> bool:
            return await self.peers.claim(REALM, 600) == self.peers.process_id

        await until_true(is_leader)

    async def follow(self) -> None:
        """Find out that another process leads."""

        def is_following() -> bool:
            self.forwarder.note_competition(REALM)
            return self.forwarder.has_other_leader(REALM)

        await until(is_following)


@pytest.fixture
async def processes(valkey: TemporaryValkey) -> AsyncIterator[tuple[Process, Process]]:
    """A leader, and a process that follows it."""
    deployment = uuid4().hex
    leader, follower = Process(valkey.url, deployment), Process(valkey.url, deployment)
    async with AsyncExitStack() as stack:
        for process in (leader, follower):
            await process.start()
            stack.push_async_callback(process.forwarder.close)
        await leader.lead()
        await follower.follow()
        yield leader, follower


Processes = tuple[Process, Process]


async def test_items_that_are_forwarded_at_once_are_written_together(processes: Processes) -> None:
    leader, follower = processes
    results = await asyncio.gather(*map(follower.forward, ["a", "b", "c"]))
    assert results == [{"note": "A"}, {"note": "B"}, {"note": "C"}]
    assert leader.written == [[{"note": "a"}, {"note": "b"}, {"note": "c"}]]


async def test_more_items_than_a_batch_are_forwarded_in_parts(processes: Processes) -> None:
    leader, follower = processes
    notes = [str(number) for number in range(230)]
    results = await asyncio.gather(*map(follower.forward, notes))
    assert results == [{"note": note} for note in notes]
    assert sorted(len(items) for items in leader.written) == [30, 100, 100]


async def test_leader_forwards_nothing(processes: Processes) -> None:
    leader, _ = processes
    leader.forwarder.note_competition(REALM)
    await leader.lead()
    assert not leader.forwarder.has_other_leader(REALM)
    assert await leader.forward("a") is None


async def test_process_without_peers_never_forwards() -> None:
    alone = WriteForwarder(NoPeers())
    alone.note_competition(REALM)
    await asyncio.gather(*alone._tasks)
    assert not alone.has_other_leader(REALM)
    await alone.close()


async def test_leader_is_known_as_one_only_while_others_forward(processes: Processes) -> None:
    leader, follower = processes
    assert not leader.forwarder.is_leader(REALM)
    await follower.forward("a")
    assert leader.forwarder.is_leader(REALM)
    assert not follower.forwarder.is_leader(REALM)


async def test_outcome_is_unknown_if_the_leader_fails(processes: Processes) -> None:
    leader, follower = processes

    async def fail(realm_id: RealmId, items: Sequence[JsonObject]) -> list[JsonObject]:
        del realm_id, items
        raise ValueError("it does not work")

    leader.forwarder.accept(NOTES, fail)
    assert await follower.forward("a") is None


async def test_outcome_is_unknown_if_results_are_missing(processes: Processes) -> None:
    leader, follower = processes

    async def forget(realm_id: RealmId, items: Sequence[JsonObject]) -> list[JsonObject]:
        del realm_id, items
        return []

    leader.forwarder.accept(NOTES, forget)
    assert await follower.forward("a") is None


class TestLostLeader:
    async def test_one_that_ended_is_noticed_at_once(self, processes: Processes) -> None:
        leader, follower = processes
        await leader.forwarder.close()
        assert await follower.forward("a") is None
        assert not follower.forwarder.has_other_leader(REALM)

    async def test_one_that_dies_while_it_writes_is_noticed(self, processes: Processes) -> None:
        leader, follower = processes
        leader.may_go_on.clear()
        forwarding = asyncio.create_task(follower.forward("a"))
        await until(lambda: bool(leader.written))
        # As when it is killed: its connections are closed, and nothing is responded.
        await leader.peers.close()
        assert await forwarding is None
        assert not follower.forwarder.has_other_leader(REALM)
        leader.may_go_on.set()

    async def test_one_that_is_silent_is_given_up(
        self, processes: Processes, valkey: TemporaryValkey
    ) -> None:
        """Such as a process that is stopped, or whose host is gone: its connection is there."""
        _, follower = processes
        silent = ProcessId("silent")
        async with Redis.from_url(valkey.url) as redis, redis.pubsub() as subscription:
            await subscription.subscribe(follower.peers._channel(silent))
            await redis.set(f"{follower.peers._prefix}leader:{REALM}", silent)

            def is_following_it() -> bool:
                return follower.forwarder._leaders.find(REALM) == silent

            await until(is_following_it)
            assert await follower.forward("a") is None
            assert not follower.forwarder.has_other_leader(REALM)

    async def test_one_that_is_only_busy_is_waited_for(
        self, processes: Processes, valkey: TemporaryValkey, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(write_forwarding, "_PING_SECONDS", 0.02)
        leader, follower = processes
        leader.may_go_on.clear()
        forwarding = asyncio.create_task(follower.forward("a"))
        async with Redis.from_url(valkey.url) as redis:

            async def count_messages() -> int:
                return int((await redis.info("commandstats"))["cmdstat_publish"]["calls"])

            before = await count_messages()

            async def has_been_asked_often() -> bool:
                return await count_messages() >= before + 10

            await until_true(has_been_asked_often)
        leader.may_go_on.set()
        assert await forwarding == {"note": "A"}

    async def test_another_process_takes_over(self, processes: Processes) -> None:
        leader, follower = processes
        # The lease that the leader has when it dies.
        assert await leader.peers.claim(REALM, 0.001) == leader.peers.process_id
        await leader.forwarder.close()
        assert await follower.forward("a") is None

        async def leads() -> bool:
            return await follower.peers.claim(REALM, 600) == follower.peers.process_id

        await until_true(leads)

    async def test_without_valkey_nothing_is_forwarded(
        self, processes: Processes, valkey: TemporaryValkey
    ) -> None:
        _, follower = processes
        valkey.kill()
        assert await follower.forward("a") is None
        assert not follower.forwarder.has_other_leader(REALM)


async def test_connection_that_is_silent_is_opened_again(
    processes: Processes, valkey: TemporaryValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after packets were dropped: neither side was told that the connection is gone."""
    monkeypatch.setattr(redis_peers, "_MAX_QUIET_SECONDS", 0.05)
    leader, follower = processes
    valkey.freeze()
    try:
        await until(lambda: leader.peers._subscription is None)
    finally:
        valkey.thaw()
    await leader.lead()
    await follower.follow()
    assert await follower.forward("a") == {"note": "A"}


async def test_process_can_end_at_any_moment(valkey: TemporaryValkey) -> None:
    """The Redis client can mistake a cancellation for a failure of its own."""
    for turns in range(MOMENTS):
        process = Process(valkey.url, "ours")
        await process.start()
        for _ in range(turns):
            await asyncio.sleep(0)
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            await process.forwarder.close()


async def test_message_that_cannot_be_read_is_ignored(
    processes: Processes, valkey: TemporaryValkey
) -> None:
    leader, follower = processes
    async with Redis.from_url(valkey.url) as redis:
        for message in (b"no JSON", b"[]", b'{"from": "x", "number": 1, "results": []}'):
            await redis.publish(leader.peers._channel(leader.peers.process_id), message)
    assert await follower.forward("a") == {"note": "A"}
