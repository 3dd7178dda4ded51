"""A restored backup: clients that have seen events of the lost history must register again."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import pytest
from sqlalchemy import delete, func, select, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.models import Epoch, EventQueueRow, EventRow, RealmClock
from chatapi.db.session import DatabaseSession
from chatapi.jobs.periodic_jobs import expire_queues
from chatapi.main import ChatApp
from tests import factories
from tests.factories import Person
from tests.support.apps import make_settings, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.databases import SqliteTemplate
from tests.support.listening import Listener, listen
from tests.support.opened_database import opened_database
from tests.support.responses import assert_error
from tests.support.sample_events import Noted, commit_events
from tests.support.servers import TEMPLATE, Servers
from tests.support.waiting import until, until_lock_is_awaited, until_true

LOST = 20


class Archive(Protocol):
    """A database of the test's own that can be restored from a backup."""

    url: str

    async def back_up(self) -> None: ...

    async def restore(self) -> None: ...


@dataclass
class SqliteArchive:
    url: str
    file: Path

    @property
    def _copy(self) -> Path:
        return self.file.with_suffix(".backup")

    async def back_up(self) -> None:
        with (
            closing(sqlite3.connect(self.file)) as source,
            closing(sqlite3.connect(self._copy)) as target,
        ):
            source.backup(target)

    async def restore(self) -> None:
        for path in self.file.parent.glob(f"{self.file.name}*"):
            path.unlink()
        self._copy.rename(self.file)


@dataclass
class PostgresArchive:
    url: str
    servers: Servers
    name: str

    async def back_up(self) -> None:
        await self.servers.postgres.create_database(f"{self.name}_backup", template=self.name)

    async def restore(self) -> None:
        await self.servers.postgres.drop_database(self.name)
        await self.servers.postgres.create_database(self.name, template=f"{self.name}_backup")


@pytest.fixture
async def archive(
    backend: str,
    sqlite_template: SqliteTemplate,
    servers: Servers,
    worker_name: str,
    tmp_path: Path,
) -> AsyncIterator[Archive]:
    if backend == "sqlite":
        yield SqliteArchive(sqlite_template.copy_to(tmp_path), tmp_path / "chatapi.sqlite3")
        return
    name = f"chatapi_restore_{worker_name}"
    names = (name, f"{name}_backup")
    for each in names:
        await servers.postgres.drop_database(each)
    await servers.postgres.create_database(name, template=TEMPLATE)
    yield PostgresArchive(servers.postgres.url_for(name), servers, name)
    for each in names:
        await servers.postgres.drop_database(each)


@dataclass
class Service:
    """One run of a process."""

    app: ChatApp
    client: ApiClient

    @property
    def runtime(self) -> Runtime:
        return self.app.runtime


@dataclass
class Runs:
    """Starts processes on the archive's database, one after the other."""

    settings: Settings
    clock: MovableClock

    @asynccontextmanager
    async def start(self) -> AsyncIterator[Service]:
        async with AsyncExitStack() as stack:
            app = await stack.enter_async_context(running_app(self.settings, self.clock))
            client = ApiClient(app)
            stack.push_async_callback(client.aclose)
            yield Service(app, client)


@pytest.fixture
def runs(archive: Archive, tmp_path: Path, clock: MovableClock) -> Runs:
    return Runs(make_settings(archive.url, tmp_path), clock)


@dataclass
class World:
    realm: RealmRecord
    member: Person
    eager: Listener
    """Polls everything at once."""
    late: Listener
    """Polls nothing before the backup is restored."""


async def make_world(service: Service) -> World:
    realm = await factories.make_realm(service.runtime, "Acme")
    member = await factories.make_user(service.runtime, realm)
    eager = await listen(service.client, member, event_types=["test_note"])
    late = await listen(service.client, member, event_types=["test_note"])
    await commit_events(service.runtime, realm, Noted(text="kept"))
    assert len(await eager.new_events()) == 1
    return World(realm, member, eager, late)


async def notes(service: Service, world: World, prefix: str, count: int) -> list[str]:
    texts = [f"{prefix}{number}" for number in range(count)]
    for text in texts:
        await commit_events(service.runtime, world.realm, Noted(text=text))
    return texts


async def read(service: Service, listener: Listener) -> list[str]:
    listener.client = service.client
    return [event["text"] for event in await listener.new_events()]


async def lose_history(runs: Runs, archive: Archive) -> World:
    """Restore a backup after events that the eager client, and no other, has read."""
    async with runs.start() as service:
        world = await make_world(service)
    await archive.back_up()
    async with runs.start() as service:
        await notes(service, world, "lost", LOST)
        assert len(await read(service, world.eager)) == LOST
    await archive.restore()
    return world


async def assert_ended(service: Service, listener: Listener) -> None:
    listener.client = service.client
    # There is no other process that may serve the queue.
    service.runtime.queues._epochs.looks_for_others = 2
    response = await listener.poll(dont_block=True)
    assert_error(response, "BAD_EVENT_QUEUE_ID", queue_id=listener.queue_id)


class TestRestore:
    async def test_client_of_the_lost_history_is_refused_for_ever(
        self, runs: Runs, archive: Archive
    ) -> None:
        world = await lose_history(runs, archive)
        async with runs.start() as service:
            new = await notes(service, world, "new", 2 * LOST)
            await assert_ended(service, world.eager)
            await assert_ended(service, world.eager)
            assert await read(service, world.late) == ["kept", *new]

    @pytest.mark.slow
    async def test_client_that_polls_after_a_further_restart_is_refused(
        self, runs: Runs, archive: Archive
    ) -> None:
        world = await lose_history(runs, archive)
        async with runs.start() as service:
            new = await notes(service, world, "new", 2 * LOST)
            await expire_queues(service.runtime)
        async with runs.start() as service:
            await assert_ended(service, world.eager)
            assert await read(service, world.late) == ["kept", *new]

    @pytest.mark.slow
    async def test_queue_made_in_the_lost_history_is_unknown(
        self, runs: Runs, archive: Archive
    ) -> None:
        async with runs.start() as service:
            world = await make_world(service)
        await archive.back_up()
        async with runs.start() as service:
            made = await listen(service.client, world.member)
        await archive.restore()
        async with runs.start() as service:
            await assert_ended(service, made)

    @pytest.mark.slow
    async def test_client_that_has_seen_only_kept_events_goes_on(
        self, runs: Runs, archive: Archive
    ) -> None:
        async with runs.start() as service:
            world = await make_world(service)
        await archive.back_up()
        async with runs.start() as service:
            await notes(service, world, "lost", LOST)
        await archive.restore()
        async with runs.start() as service:
            new = await notes(service, world, "new", 3)
            assert await read(service, world.eager) == new


class TestRestart:
    async def test_queues_go_on_without_loss(self, runs: Runs, archive: Archive) -> None:
        async with runs.start() as service:
            world = await make_world(service)
        expected: list[str] = []
        for run in range(4):
            async with runs.start() as service:
                expected += await notes(service, world, f"{run}.", 3)
                assert await read(service, world.eager) == expected[-3:]
        async with runs.start() as service:
            assert await read(service, world.late) == ["kept", *expected]

    async def test_queue_goes_on_after_a_process_that_was_killed(
        self, runs: Runs, archive: Archive
    ) -> None:
        """A second process stands for the killed one: its shutdown writes nothing relevant."""
        async with runs.start() as service:
            world = await make_world(service)
            await notes(service, world, "a", 3)
            assert await read(service, world.eager) == ["a0", "a1", "a2"]
            async with runs.start() as following:
                assert await read(following, world.eager) == []
                await notes(following, world, "b", 3)
                assert await read(following, world.eager) == ["b0", "b1", "b2"]

    async def test_client_may_switch_processes_at_once(self, runs: Runs, archive: Archive) -> None:
        async with runs.start() as first:
            world = await make_world(first)
            async with runs.start() as second:
                for text in "abcd":
                    await commit_events(first.runtime, world.realm, Noted(text=text))
                    service = first if text in "ac" else second
                    world.eager.client = service.client
                    events = await world.eager.next_events()
                    assert [event["text"] for event in events] == [text]

    async def test_unused_epochs_are_forgotten(self, runs: Runs, archive: Archive) -> None:
        async with runs.start() as service:
            world = await make_world(service)
        for _ in range(3):
            async with runs.start() as service:
                await read(service, world.eager)
        async with runs.start() as service:
            await read(service, world.eager)
            await read(service, world.late)
            await expire_queues(service.runtime)
            async with DatabaseSession(service.runtime.database) as db:
                assert len((await db.execute(select(Epoch.id))).all()) == 1


async def is_carried_over(database: Database, listener: Listener) -> bool:
    """Whether the queue's row has the newest epoch."""
    async with DatabaseSession(database) as db:
        newest = select(func.max(Epoch.id)).scalar_subquery()
        queue = select(EventQueueRow.epoch == newest).where(EventQueueRow.id == listener.queue_id)
        return (await db.execute(queue)).scalar_one()


async def until_it_knows_the_epoch_of(newer: Service, service: Service) -> None:
    newest = newer.runtime.queues._epochs.newest
    await until(lambda: service.runtime.queues._epochs.newest >= newest)


async def lock_row(db: DatabaseSession, listener: Listener) -> None:
    """Have others that write to the row of the queue wait until the session ends."""
    await db.write()
    row = select(EventQueueRow.id).where(EventQueueRow.id == listener.queue_id)
    await db.execute(row.with_for_update())


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_queue_that_is_being_registered_while_another_process_starts_goes_on_there(
    runs: Runs, archive: Archive
) -> None:
    """On SQLite the processes write one after the other, and cannot meet like this."""
    runs.settings = runs.settings.model_copy(update={"queues_per_user": 2})
    async with runs.start() as first, runs.start() as second:
        world = await make_world(first)
        watched = await listen(first.client, await factories.make_user(first.runtime, world.realm))
        async with opened_database(runs.settings) as other, DatabaseSession(other) as db:
            # A registration that has to delete another queue of the user waits for this lock.
            await db.lock_realm(world.realm.id)
            registration = asyncio.create_task(
                listen(first.client, world.member, event_types=["test_note"])
            )
            await until_lock_is_awaited(other)
            # As it does when it is started.
            await second.runtime.queues.begin_epoch()
            await until_true(partial(is_carried_over, other, watched))
        made = await registration
        await notes(first, world, "a", 3)
        assert await read(first, made) == ["a0", "a1", "a2"]
        await notes(first, world, "b", 3)
        assert await read(second, made) == ["b0", "b1", "b2"]


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
async def test_queue_that_is_being_carried_over_while_another_process_starts_goes_on_there(
    runs: Runs, archive: Archive
) -> None:
    """On SQLite a process that starts has to wait for the write."""
    async with runs.start() as earlier:
        world = await make_world(earlier)
    async with runs.start() as first, runs.start() as second:
        async with opened_database(runs.settings) as other, DatabaseSession(other) as db:
            await until_it_knows_the_epoch_of(second, first)
            await notes(first, world, "a", 3)
            await lock_row(db, world.late)
            reading = asyncio.create_task(read(first, world.late))
            await until_lock_is_awaited(other)
            # As it does when it is started.
            await second.runtime.queues.begin_epoch()
            await until_it_knows_the_epoch_of(second, first)
        assert await reading == ["kept", "a0", "a1", "a2"]
        await notes(first, world, "b", 3)
        assert await read(first, world.late) == ["b0", "b1", "b2"]
        # The first process would have carried it over by now.
        second.runtime.queues._epochs.looks_for_others = 2
        await notes(second, world, "c", 3)
        assert await read(second, world.late) == ["c0", "c1", "c2"]


class TestUnderARunningProcess:
    @pytest.mark.slow
    async def test_clock_that_went_back_ends_all_queues(self, runs: Runs, archive: Archive) -> None:
        """As by a restore in place, or by a replica that had not received everything."""
        async with runs.start() as service:
            world = await make_world(service)
            await notes(service, world, "lost", LOST)
            assert len(await read(service, world.eager)) == LOST
            before = service.runtime.queues._epochs.newest
            async with DatabaseSession(service.runtime.database) as db:
                await db.write()
                await db.execute(update(RealmClock).values(last_event=RealmClock.last_event - 10))
                clock = select(RealmClock.last_event).scalar_subquery()
                await db.execute(delete(EventRow).where(EventRow.number > clock))
                await db.commit()

            async def is_noticed() -> bool:
                return service.runtime.queues._epochs.newest > before

            await until_true(is_noticed)
            await assert_ended(service, world.eager)
            await assert_ended(service, world.late)
