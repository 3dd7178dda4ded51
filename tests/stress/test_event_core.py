"""The event core under stress: no acknowledged write is lost, no event is missed or repeated.

Fifty writers and thirty followers work on a real server, which is killed and started again in
the middle. At the end each follower knows from one registration and the events since what the
database holds.
"""

import asyncio
import os
import random
from dataclasses import dataclass
from functools import partial

import httpx
import pytest
from sqlalchemy import func, select

from chatapi.core.clock import SystemClock
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Epoch, EventQueueRow, EventRow, RealmClock, User
from chatapi.db.session import DatabaseSession
from chatapi.wire.user_settings import UserSettings
from tests import factories
from tests.factories import Person
from tests.stress.connection import Connection
from tests.stress.crowd import Follower, Recruiter, Writer, recruit_email, step_name
from tests.stress.marks import KILLS_SERVERS
from tests.support.apps import running_app
from tests.support.server_process import ServerProcess
from tests.support.waiting import until, until_true

WRITERS = 45
RECRUITERS = 5
FOLLOWERS = 30
KILLS = int(os.environ.get("CHATAPI_TEST_SERVERS_KILLED", "2"))
WRITES_BETWEEN_KILLS = 50

DEPLOYMENTS = [("sqlite", 1), ("sqlite", 2), *(("postgresql", count) for count in (1, 2, 4))]

pytestmark = [
    *KILLS_SERVERS,
    pytest.mark.parametrize(("backend", "process_count"), DEPLOYMENTS),
]


@dataclass(frozen=True)
class Account:
    """A user as the database has it."""

    email: str
    full_name: str
    settings: UserSettings


@dataclass(frozen=True)
class Truth:
    """The final content of the database."""

    accounts: dict[int, Account]
    last_event: int
    numbers: list[int]

    @property
    def emails(self) -> set[str]:
        return {account.email for account in self.accounts.values()}


async def read_truth(settings: Settings) -> Truth:
    database = Database(settings)
    async with DatabaseSession(database) as db:
        await db.snapshot()
        users = await db.execute(
            select(User.id, User.delivery_email, User.full_name, User.settings).where(
                ~User.is_system_bot
            )
        )
        accounts = {
            user_id: Account(email, full_name, UserSettings.model_validate(chosen))
            for user_id, email, full_name, chosen in users
        }
        last_event = (await db.execute(select(RealmClock.last_event))).scalar_one()
        numbers = (await db.execute(select(EventRow.number).order_by(EventRow.number))).scalars()
        truth = Truth(accounts, last_event, list(numbers))
    await database.close()
    return truth


@pytest.fixture
async def people(settings: Settings) -> list[Person]:
    async with running_app(settings, SystemClock()) as app:
        realm = await factories.make_realm(app.runtime, "Acme")
        return [
            await factories.make_user(
                app.runtime, realm, Role.ADMIN if number < RECRUITERS else Role.MEMBER
            )
            for number in range(RECRUITERS + WRITERS)
        ]


async def kill_now_and_then(
    settings: Settings,
    processes: list[ServerProcess],
    connections: list[Connection],
    writers: list[Writer],
) -> None:
    """Let some work be done, kill a server in the middle of more, and start it again."""
    database = Database(settings)
    for kill in range(1, KILLS + 1):
        await until_acknowledged(writers, kill * WRITES_BETWEEN_KILLS)
        number = kill % len(processes)
        processes[number].kill()
        await processes[number].start()
        for other in (*connections[:number], *connections[number + 1 :]):
            # A process that is killed earlier may cost clients a registration (ADR 20).
            await until_true(partial(has_noticed_new_process, database, other))
    await database.close()
    await until_acknowledged(writers, (KILLS + 1) * WRITES_BETWEEN_KILLS)


async def has_noticed_new_process(database: Database, connection: Connection) -> bool:
    """Whether queues of the process at the other end belong to the newest epoch."""
    state = await connection.insist("POST", "/register", event_types=["realm_user"])
    queue_id = state["queue_id"]
    async with DatabaseSession(database) as db:
        epoch = select(EventQueueRow.epoch).where(EventQueueRow.id == queue_id)
        newest = select(func.max(Epoch.id)).scalar_subquery()
        own_epoch, newest_epoch = (await db.execute(epoch.add_columns(newest))).one()
    await connection.insist("DELETE", "/events", queue_id=queue_id)
    return bool(own_epoch == newest_epoch)


async def until_acknowledged(writers: list[Writer], count: int) -> None:
    await until(lambda: sum(writer.acknowledged for writer in writers) >= count)


async def test_every_follower_ends_up_with_what_the_database_holds(
    settings: Settings,
    people: list[Person],
    processes: list[ServerProcess],
    clients: list[httpx.AsyncClient],
) -> None:
    connections = [Connection(clients, person) for person in people]
    recruiters = [Recruiter(connection) for connection in connections[:RECRUITERS]]
    writers = [Writer(connection) for connection in connections[RECRUITERS:]]
    followers = [
        Follower(connection, random.Random(seed))
        for seed, connection in enumerate(connections[:FOLLOWERS])
    ]
    stop = asyncio.Event()
    async with asyncio.timeout(600), asyncio.TaskGroup() as crowd:
        for follower in followers:
            crowd.create_task(follower.work(stop))
        for writer in (*writers, *recruiters):
            crowd.create_task(writer.work(stop))
        own = [Connection([client], people[-1]) for client in clients]
        await kill_now_and_then(settings, processes, own, [*writers, *recruiters])
        stop.set()
    for follower in followers:
        await follower.catch_up()

    truth = await read_truth(settings)
    assert truth.numbers == list(range(1, truth.last_event + 1))
    for writer in writers:
        assert_nothing_acknowledged_is_lost(writer, truth)
    for recruiter in recruiters:
        assert recruits_of(recruiter) <= truth.emails
    for follower in followers:
        assert_knows(follower, truth)


def assert_nothing_acknowledged_is_lost(writer: Writer, truth: Truth) -> None:
    person = writer.connection.person
    account = truth.accounts[person.user_id]
    assert account.full_name == step_name(person, writer.acknowledged)
    step = account.settings.email_notifications_batching_period_seconds
    assert step == writer.acknowledged


def recruits_of(recruiter: Recruiter) -> set[str]:
    numbers = range(1, recruiter.acknowledged + 1)
    return {recruit_email(recruiter.connection.person, number) for number in numbers}


def assert_knows(follower: Follower, truth: Truth) -> None:
    assert follower.seen > 0
    known = {
        user_id: (person["delivery_email"], person["full_name"])
        for user_id, person in follower.people.items()
    }
    assert known == {
        user_id: (account.email, account.full_name) for user_id, account in truth.accounts.items()
    }
    own = truth.accounts[follower.connection.person.user_id].settings.model_dump()
    assert {name: follower.settings[name] for name in own} == own


async def test_an_old_queue_outlives_the_server(
    people: list[Person], processes: list[ServerProcess], clients: list[httpx.AsyncClient]
) -> None:
    reader, writer = Connection(clients, people[0]), Connection(clients, people[-1])
    follower = Follower(reader, random.Random(0))
    await follower.register()
    await writer.insist("PATCH", "/settings", full_name="Before")
    for server in processes:
        server.kill()
        await server.start()
    await writer.insist("PATCH", "/settings", full_name="After")
    await follower.catch_up()
    assert follower.people[people[-1].user_id]["full_name"] == "After"
    assert follower.seen == 2
