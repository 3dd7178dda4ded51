"""Moves of many messages survive crashes: each message is moved once, and clients see where it is.

The server that moves messages in the background is killed several times, at random moments.
Another one, or the same one after its restart, goes on. If a move is complete before that, the
next one moves the messages back.
"""

import asyncio
import random
from dataclasses import dataclass

import httpx
import pytest
from sqlalchemy import func, select, update

from chatapi.core.clock import SystemClock
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Conversation, MessageEdit, PendingMove
from chatapi.db.session import DatabaseSession
from tests import factories
from tests.factories import Person
from tests.features.messages.fetch.conversations import mark, send
from tests.stress.connection import Connection
from tests.stress.marks import KILLS_SERVERS
from tests.stress.move_watcher import MoveWatcher
from tests.support.apps import running_app
from tests.support.client import ApiClient
from tests.support.opened_database import opened_database
from tests.support.server_process import ServerProcess
from tests.support.waiting import until_true

MESSAGES = 240
BATCH = 10
MOST_BATCHES_BETWEEN_KILLS = 3
LONGEST_BATCH_SECONDS = 0.02
"""A kill comes within this time after a batch: during the next one, or in the pause before it."""
TOPIC = "long topic"

pytestmark = KILLS_SERVERS


@dataclass(frozen=True)
class World:
    """A long topic, which users have read in part."""

    owner: Person
    reader: Person
    """Subscribed to both channels."""
    outsider: Person
    """Subscribed to the first channel only: in the second one, nothing is unread."""
    channels: tuple[int, int]
    message_ids: list[int]
    unread: set[int]
    """Of the reader."""


@pytest.fixture
async def world(settings: Settings) -> World:
    async with running_app(settings, SystemClock()) as app:
        realm = await factories.make_realm(app.runtime, "Acme")
        owner = await factories.make_user(app.runtime, realm, Role.OWNER)
        reader, outsider = [await factories.make_user(app.runtime, realm) for _ in range(2)]
        both, all_three = [owner, reader], [owner, reader, outsider]
        here = await factories.make_channel(app.runtime, realm, owner, subscribers=all_three)
        there = await factories.make_channel(app.runtime, realm, owner, subscribers=both)
        client = ApiClient(app)
        sending = (send(client, owner, here, TOPIC) for _ in range(MESSAGES))
        ids = sorted(await asyncio.gather(*sending))
        for person in (reader, outsider):
            # A position in the middle of the topic, and exceptions on both sides of it.
            await mark(client, person, *ids[: MESSAGES // 2], *ids[-5:])
            await mark(client, person, *ids[5:10], op="remove")
    unread: set[int] = {*ids[5:10], *ids[MESSAGES // 2 : -5]}
    return World(owner, reader, outsider, (here.id, there.id), list(ids), unread)


@pytest.fixture
def server_settings() -> dict[str, str]:
    return {"move_batch_size": str(BATCH)}


@dataclass
class Moves:
    """Moves of the whole topic from one channel to the other and back."""

    world: World
    database: Database
    begun: int = 0

    @property
    def target(self) -> int:
        return self.world.channels[self.begun % 2]

    async def begin(self, server: httpx.AsyncClient) -> None:
        """Let this server begin a move, and continue it in the background."""
        self.begun += 1
        connection = Connection([server], self.world.owner)
        response = await connection.call(
            "PATCH",
            f"/messages/{self.world.message_ids[0]}",
            stream_id=self.target,
            propagate_mode="change_all",
            send_notification_to_new_thread=False,
        )
        assert response is not None
        assert response["result"] == "success", response

    async def find_end(self) -> int | None:
        """The last message that is left to be moved; None if all are moved."""
        async with DatabaseSession(self.database) as db:
            return (await db.execute(select(PendingMove.up_to))).scalar_one_or_none()

    async def until_continued(self, batches: int) -> None:
        """Wait until some batches were moved, or all messages."""
        for _ in range(batches):
            end = await self.find_end()

            async def is_moved(end: int | None = end) -> bool:
                return end is None or await self.find_end() != end

            await until_true(is_moved)

    async def end_lease(self) -> None:
        """Let another process go on now, and not after the time it leaves to the killed one."""
        async with DatabaseSession(self.database) as db:
            await db.write()
            await db.execute(update(PendingMove).values(due_at=SystemClock().now()))
            await db.commit()

    async def until_complete(self) -> None:
        async def is_complete() -> bool:
            return await self.find_end() is None

        await until_true(is_complete)


async def kill_during_moves(
    moves: Moves, processes: list[ServerProcess], clients: list[httpx.AsyncClient], kills: int
) -> None:
    """Kill the server that moves messages; of several, another one goes on before it restarts."""
    chance = random.Random(1)
    for kill in range(kills):
        victim = kill % len(processes)
        if await moves.find_end() is None:
            await moves.begin(clients[victim])
        await moves.until_continued(chance.randint(1, MOST_BATCHES_BETWEEN_KILLS))
        await asyncio.sleep(chance.uniform(0, LONGEST_BATCH_SECONDS))
        processes[victim].kill()
        await moves.end_lease()
        if len(processes) > 1:
            await moves.until_continued(batches=1)
        await processes[victim].start()
    await moves.until_complete()


async def assert_rows_are_right(moves: Moves) -> None:
    """One topic is left, and each message was moved once by each move."""
    world = moves.world
    counting = (
        select(MessageEdit.message_id, func.count(MessageEdit.id))
        .where(MessageEdit.prev_channel_id.is_not(None))
        .group_by(MessageEdit.message_id)
    )
    topics = select(
        Conversation.channel_id, Conversation.first_message_id, Conversation.last_message_id
    ).where(Conversation.channel_id.in_(world.channels))
    async with DatabaseSession(moves.database) as db:
        edits = dict((await db.execute(counting)).all())
        extents = [tuple(row) for row in await db.execute(topics)]
    assert edits == dict.fromkeys(world.message_ids, moves.begun)
    assert extents == [(moves.target, world.message_ids[0], world.message_ids[-1])]


@pytest.mark.parametrize(
    ("backend", "process_count", "kills"),
    [
        pytest.param("sqlite", 1, 10, id="one that goes on after its restart"),
        # Each time, the other one has to look for moves that no process continues.
        pytest.param("postgresql", 2, 6, id="two that go on in turn"),
    ],
)
async def test_moves_survive_killed_servers(
    world: World,
    settings: Settings,
    processes: list[ServerProcess],
    clients: list[httpx.AsyncClient],
    kills: int,
) -> None:
    watchers = [
        MoveWatcher(Connection(clients, person), random.Random(0), channels=world.channels)
        for person in (world.reader, world.outsider)
    ]
    for watcher in watchers:
        await watcher.register()
    stop = asyncio.Event()
    async with opened_database(settings) as database:
        moves = Moves(world, database)
        async with asyncio.timeout(600), asyncio.TaskGroup() as crowd:
            for watcher in watchers:
                crowd.create_task(watcher.work(stop))
            await kill_during_moves(moves, processes, clients, kills)
            stop.set()
        for watcher in watchers:
            await watcher.catch_up()
        await assert_rows_are_right(moves)
    reader, outsider = watchers
    place = (moves.target, TOPIC)
    assert reader.places == dict.fromkeys(world.message_ids, place)
    assert await reader.read_places() == reader.places
    if reader.has_seen_all:
        assert reader.moves == dict.fromkeys(world.message_ids, moves.begun)
    assert reader.unread == await reader.read_unread() == world.unread
    assert outsider.unread == await outsider.read_unread() == set()
