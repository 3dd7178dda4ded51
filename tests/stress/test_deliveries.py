"""A thousand scheduled messages, three processes, one of which dies: each is sent exactly once.

There is no lease that a process would have to wait for: a process holds messages only in the
transaction that sends them, and that ends with the process.
"""

import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import httpx
import pytest
from msgspec.structs import asdict
from sqlalchemy import func, insert, select
from typing_extensions import override

from chatapi.auth.realm_cache import RealmRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.clock import SystemClock
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Message, ScheduledMessage
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.schedule_records import UNSAVED, ScheduledRecord
from tests import factories
from tests.factories import Person
from tests.stress.connection import Connection
from tests.stress.queue_reader import QueueReader
from tests.support.apps import running_app
from tests.support.server_process import ServerProcess
from tests.support.waiting import until_true

SENDERS = 10
MESSAGES = 1_000
DUE_IN_SECONDS = 3
DUE_WITHIN_SECONDS = 3
MAX_DELAY = timedelta(seconds=120)
"""Time limit for a thousand on a busy machine; an idle one takes about a second."""
MAX_SILENCE = timedelta(seconds=60)
"""The longest pause: others go on once the transaction of the killed process is over."""

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class World:
    """The senders, and the targets of their messages."""

    realm: RealmRecord
    senders: list[Person]
    reader: Person
    channel: ChannelRecord


@pytest.fixture
def backend() -> str:
    return "postgresql"


@pytest.fixture
def process_count() -> int:
    return 3


@pytest.fixture
async def world(settings: Settings) -> World:
    async with running_app(settings, SystemClock()) as app:
        realm = await factories.make_realm(app.runtime, "Acme")
        people = [await factories.make_user(app.runtime, realm) for _ in range(SENDERS + 1)]
        channel = await factories.make_channel(app.runtime, realm, people[0], subscribers=people)
    return World(realm, people[:SENDERS], people[SENDERS], channel)


@dataclass
class Listener(QueueReader):
    """A client that reads messages, or events about its own scheduled ones."""

    events: list[dict[str, Any]] = field(default_factory=list)

    async def register(self, *types: str) -> None:
        self.start(await self.connection.insist("POST", "/register", event_types=list(types)))

    @override
    def see(self, event: dict[str, Any]) -> None:
        self.events.append(event)


async def schedule_all(database: Database, world: World) -> dict[str, datetime]:
    """Write what requests would write, but all at once; when each is due, by its text."""
    begin = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=DUE_IN_SECONDS)
    records = [
        record_for(world, number, begin + timedelta(seconds=number % DUE_WITHIN_SECONDS))
        for number in range(MESSAGES)
    ]
    rows = [asdict(record) for record in records]
    for row in rows:
        del row["id"]
    async with DatabaseSession(database) as db:
        await db.write()
        await db.execute(insert(ScheduledMessage), rows)
        await db.commit()
    return {record.content: record.deliver_at for record in records}


def record_for(world: World, number: int, deliver_at: datetime) -> ScheduledRecord:
    owner = world.senders[number % SENDERS]
    content = f"Message {number} of person {owner.user_id}"
    return ScheduledRecord(
        id=UNSAVED,
        realm_id=world.realm.id,
        owner_id=owner.user_id,
        channel_id=world.channel.id,
        topic=f"topic {number % 7}",
        people=[],
        content=content,
        rendered_content=f"<p>{content}</p>",
        deliver_at=deliver_at,
        client_name="tests",
        read_by_sender=True,
    )


async def until_left(database: Database, count: int) -> None:
    """Wait until no more than so many messages are waiting."""
    counting = select(func.count()).select_from(ScheduledMessage)

    async def are_few() -> bool:
        async with DatabaseSession(database) as db:
            return (await db.execute(counting)).scalar_one() <= count

    await until_true(are_few)


async def sent_messages(database: Database) -> list[tuple[str, datetime]]:
    async with DatabaseSession(database) as db:
        rows = await db.execute(select(Message.content, Message.sent_at).order_by(Message.id))
        return [(content, sent_at) for content, sent_at in rows]


async def test_each_is_sent_once_although_a_process_dies(
    settings: Settings,
    world: World,
    processes: list[ServerProcess],
    clients: list[httpx.AsyncClient],
) -> None:
    database = Database(settings)
    # The process that is killed gets no requests.
    reader = Listener(Connection(clients[1:], world.reader), random.Random(0))
    owner = Listener(Connection(clients[1:], world.senders[0]), random.Random(1))
    await reader.register("message")
    await owner.register("scheduled_messages")
    due = await schedule_all(database, world)
    # On a machine with much to do, this may be later than the first of them are due.
    scheduled_at = datetime.now(UTC)
    await until_left(database, MESSAGES * 2 // 3)
    processes[0].kill()
    await until_left(database, 0)
    sent = await sent_messages(database)
    await database.close()

    assert Counter(content for content, _sent_at in sent) == Counter(list(due))
    assert all(sent_at >= due[content] for content, sent_at in sent)
    delays = [sent_at - max(due[content], scheduled_at) for content, sent_at in sent]
    assert max(delays) < MAX_DELAY
    times = sorted(sent_at for _content, sent_at in sent)
    assert max(later - earlier for earlier, later in pairwise(times)) < MAX_SILENCE
    for listener in (reader, owner):
        await listener.catch_up()
    heard = [event["message"]["content"] for event in reader.events]
    assert heard == [content for content, _sent_at in sent]
    removed = [event["scheduled_message_id"] for event in owner.events]
    assert len(removed) == len(set(removed)) == MESSAGES // SENDERS
    assert {event["op"] for event in owner.events} == {"remove"}
