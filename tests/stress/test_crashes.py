"""Messages survive crashes: each acknowledged one exists once, in order, delivered once.

Sixteen senders and eighteen listeners work on a real server that is killed twenty times, or on
several whose bus is killed or frozen. Senders repeat what was not acknowledged, listeners ask for
what came since the last event they saw.
"""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias, cast

import httpx
import pytest
from redis.asyncio import Redis
from sqlalchemy import Select, func, select

from chatapi.core.clock import SystemClock
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Epoch, EventQueueRow
from chatapi.db.session import DatabaseSession
from tests import factories
from tests.factories import Person
from tests.stress.connection import Connection
from tests.stress.marks import KILLS_SERVERS
from tests.stress.talk import Listener, Message, Room, Sender
from tests.support.apps import running_app
from tests.support.opened_database import opened_database
from tests.support.server_process import ServerProcess
from tests.support.temporary_valkey import TemporaryValkey
from tests.support.waiting import until, until_true

Fault: TypeAlias = Callable[[], Awaitable[None]]

SENDERS = 16
MESSAGES_BETWEEN_KILLS = 20
LEADERS_KILLED = int(os.environ.get("CHATAPI_TEST_LEADERS_KILLED", "4"))

pytestmark = KILLS_SERVERS


@dataclass(frozen=True)
class World:
    """The users, and the conversations they use."""

    people: list[Person]
    """The senders, one user who only listens, and one in no conversation."""
    rooms: list[Room]

    @property
    def senders(self) -> list[Person]:
        return self.people[:SENDERS]

    def rooms_of(self, person: Person) -> list[Room]:
        return [room for room in self.rooms if person.user_id in room.people]


@pytest.fixture
async def world(settings: Settings) -> World:
    """Topics of a public and of a private channel, pairs, and a small group."""
    async with running_app(settings, SystemClock()) as app:
        realm = await factories.make_realm(app.runtime, "Acme")
        people = [await factories.make_user(app.runtime, realm) for _ in range(SENDERS + 2)]
        everybody, team = people[: SENDERS + 1], people[: SENDERS // 2]
        creator = people[0]
        public = await factories.make_channel(app.runtime, realm, creator, subscribers=everybody)
        private = await factories.make_channel(
            app.runtime, realm, creator, subscribers=team, invite_only=True
        )
    half = SENDERS // 2
    pairs = zip(people[:half], people[half:SENDERS], strict=True)
    return World(
        people,
        [
            *(topic_room(public.id, f"topic {number}", everybody) for number in range(4)),
            *(topic_room(private.id, f"topic {number}", team) for number in range(2)),
            *(direct_room(pair) for pair in (*pairs, people[:3])),
        ],
    )


def topic_room(channel_id: int, topic: str, people: Sequence[Person]) -> Room:
    address = {"type": "channel", "to": channel_id, "topic": topic}
    return Room(address, frozenset(person.user_id for person in people))


def direct_room(people: Sequence[Person]) -> Room:
    user_ids = [person.user_id for person in people]
    return Room({"type": "direct", "to": user_ids}, frozenset(user_ids))


@dataclass
class Talk:
    """All senders and listeners."""

    listeners: list[Listener]
    senders: list[Sender]

    @property
    def messages(self) -> list[Message]:
        return [message for sender in self.senders for message in sender.messages]

    @property
    def acknowledged(self) -> list[Message]:
        return [message for sender in self.senders for message in sender.acknowledged]


async def begin_talk(world: World, clients: list[httpx.AsyncClient]) -> Talk:
    """Let all clients register; every other sender identifies messages by its queue."""
    listeners = [
        Listener(Connection(clients, person), random.Random(seed))
        for seed, person in enumerate(world.people)
    ]
    for listener in listeners:
        await listener.register()
    senders = [
        Sender(
            Connection(clients, person),
            world.rooms_of(person),
            random.Random(seed),
            queue_id=listeners[seed].queue_id if seed % 2 else None,
        )
        for seed, person in enumerate(world.senders)
    ]
    return Talk(listeners, senders)


async def talk_through(talk: Talk, faults: Iterable[Fault]) -> None:
    """Let all talk; each fault happens after some more messages were acknowledged."""
    stop = asyncio.Event()
    async with asyncio.timeout(600), asyncio.TaskGroup() as crowd:
        for listener in talk.listeners:
            crowd.create_task(listener.work(stop))
        for sender in talk.senders:
            crowd.create_task(sender.work(stop))
        for fault in faults:
            await until_acknowledged_anew(talk)
            await fault()
        await until_acknowledged_anew(talk)
        stop.set()
    for listener in talk.listeners:
        await listener.catch_up()


def killed_in_turn(processes: list[ServerProcess], kills: int) -> Iterator[Fault]:
    for kill in range(kills):
        yield processes[kill % len(processes)].restart_after_crash


async def until_acknowledged_anew(talk: Talk) -> None:
    wanted = len(talk.acknowledged) + MESSAGES_BETWEEN_KILLS
    await until(lambda: len(talk.acknowledged) >= wanted)


async def test_one_server_killed_twenty_times(
    world: World, processes: list[ServerProcess], clients: list[httpx.AsyncClient]
) -> None:
    talk = await begin_talk(world, clients)
    await talk_through(talk, killed_in_turn(processes, kills=20))
    assert sum(sender.lost_answers for sender in talk.senders) >= 20
    await assert_all_went_well(talk)


class TestTwoServers:
    """Both on one database, with a bus between them; a retry may come to either."""

    @pytest.fixture
    def backend(self) -> str:
        return "postgresql"

    @pytest.fixture
    def process_count(self) -> int:
        return 2

    async def test_killed_in_turn(
        self,
        settings: Settings,
        world: World,
        processes: list[ServerProcess],
        clients: list[httpx.AsyncClient],
    ) -> None:
        talk = await begin_talk(world, clients)
        async with opened_database(settings) as database:
            kills = (
                partial(crash_alone, kill, database) for kill in killed_in_turn(processes, kills=4)
            )
            await talk_through(talk, kills)
        await assert_all_went_well(talk)


async def crash_alone(kill: Fault, database: Database) -> None:
    """Kill a server, and wait until the other one knows of the new one.

    If that one were killed before, its clients would have to register again (ADR 20).
    """
    newest, oldest_in_use = select(func.max(Epoch.id)), select(func.min(EventQueueRow.epoch))

    async def find(epoch: Select[*tuple[int]]) -> int:
        async with DatabaseSession(database) as db:
            return (await db.execute(epoch)).scalar_one()

    before = await find(newest)
    await kill()
    # A server listens before it begins its epoch.
    await until_true(lambda: is_above(before, find(newest)))
    began = await find(newest)
    await until_true(lambda: is_above(began - 1, find(oldest_in_use)))


async def is_above(bound: int, number: Awaitable[int]) -> bool:
    return await number > bound


class TestLeaderLost:
    """Several servers that forward what is to be written to one of them, which is killed."""

    @pytest.fixture
    def backend(self) -> str:
        return "postgresql"

    @pytest.fixture
    def process_count(self) -> int:
        return 4

    async def test_killed_again_and_again(
        self,
        settings: Settings,
        world: World,
        processes: list[ServerProcess],
        clients: list[httpx.AsyncClient],
        valkey: TemporaryValkey,
    ) -> None:
        async def kill_leader() -> None:
            leader = await find_leader(redis, processes)
            await crash_alone(leader.restart_after_crash, database)

        talk = await begin_talk(world, clients)
        async with opened_database(settings) as database, Redis.from_url(valkey.url) as redis:
            await talk_through(talk, [kill_leader] * LEADERS_KILLED)
            statistics = await redis.info("commandstats")
        assert statistics["cmdstat_publish"]["calls"] > LEADERS_KILLED, "nothing was forwarded"
        await assert_all_went_well(talk)


async def find_leader(redis: Redis, processes: list[ServerProcess]) -> ServerProcess:
    """Wait until one of the processes leads, and return it."""
    found: list[ServerProcess] = []

    async def is_found() -> bool:
        for key in await redis.keys("chatapi:*:leader:*"):
            holder = cast(bytes, await redis.get(key) or b":0:")
            _host, pid, _token = holder.decode().split(":")
            found.extend(process for process in processes if process.pid == int(pid))
        return bool(found)

    await until_true(is_found)
    return found[0]


class TestBusLost:
    """Several servers on one database whose bus goes away: they find new events without it."""

    @pytest.fixture
    def backend(self) -> str:
        return "postgresql"

    @pytest.fixture(params=[2, 4])
    def process_count(self, request: pytest.FixtureRequest) -> int:
        return int(request.param)

    async def test_killed_and_back_empty(
        self, world: World, clients: list[httpx.AsyncClient], valkey: TemporaryValkey
    ) -> None:
        async def kill() -> None:
            valkey.kill()
            await until_acknowledged_anew(talk)

        async def start() -> None:
            valkey.start()

        talk = await begin_talk(world, clients)
        await talk_through(talk, [kill, start, kill, start])
        await assert_all_went_well(talk)

    async def test_frozen_and_back(
        self, world: World, clients: list[httpx.AsyncClient], valkey: TemporaryValkey
    ) -> None:
        async def freeze() -> None:
            valkey.freeze()
            await until_acknowledged_anew(talk)

        async def thaw() -> None:
            valkey.thaw()

        talk = await begin_talk(world, clients)
        try:
            await talk_through(talk, [freeze, thaw, freeze, thaw])
        finally:
            valkey.thaw()
        await assert_all_went_well(talk)


async def assert_all_went_well(talk: Talk) -> None:
    for sender in talk.senders:
        ids = [message.id or 0 for message in sender.acknowledged]
        assert ids == sorted(set(ids)), "messages of one sender changed places"
    assert_order_is_that_of_time(talk.acknowledged)
    for listener in talk.listeners:
        assert_heard_once(listener, talk.messages)
        assert await listener.read_history() == listener.heard
    for sender, listener in zip(talk.senders, talk.listeners, strict=False):
        assert_found_own_messages(sender, listener)


def assert_order_is_that_of_time(acknowledged: list[Message]) -> None:
    """No message precedes one that was acknowledged before it was first sent."""
    in_order = sorted(acknowledged, key=lambda message: message.id or 0)
    earliest_end = float("inf")
    for message in reversed(in_order):
        assert message.begun_at <= earliest_end, message
        assert message.acknowledged_at is not None
        earliest_end = min(earliest_end, message.acknowledged_at)


def assert_heard_once(listener: Listener, messages: list[Message]) -> None:
    me = listener.connection.person.user_id
    mine = [message for message in messages if me in message.room.people]
    ids = [message_id for message_id, _content in listener.heard]
    assert all(earlier < later for earlier, later in pairwise(ids)), ids
    heard = {content: message_id for message_id, content in listener.heard}
    assert len(heard) == len(ids), "a message was sent twice"
    assert heard.keys() <= {message.content for message in mine}
    acknowledged = {message.content: message.id for message in mine if message.id is not None}
    assert acknowledged.items() <= heard.items()


def assert_found_own_messages(sender: Sender, listener: Listener) -> None:
    """The sending client gets its local id in the event; no other client does."""
    called = {message.content: message.local_id for message in sender.messages}
    for event in listener.events:
        content = event["message"]["content"]
        expected = called.get(content) if sender.queue_id else None
        assert event.get("local_message_id") == expected, event
