"""Reading and transactions on a realm outside of requests, as jobs and commands use them."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import event, select, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_sessions import realm_reading, realm_transaction
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Everyone
from chatapi.events.bus import LocalBus
from chatapi.features.messages import post_notices
from chatapi.features.users import emit_user_visibility
from tests.support.clock import MovableClock
from tests.support.sample_events import Noted, RealmTouched


async def _open(settings: Settings, clock: MovableClock) -> AsyncIterator[Runtime]:
    """A runtime whose jobs do not run, so that nothing else uses its database."""
    runtime = Runtime.assemble(settings, clock, LocalBus(), post_notices, emit_user_visibility)
    yield runtime
    await runtime.close()


runtime = pytest.fixture(_open)
other_process = pytest.fixture(_open)


async def rename(db: DatabaseSession, realm: RealmRecord, name: str) -> None:
    await db.execute(update(Realm).where(Realm.id == realm.id).values(name=name))


async def rename_elsewhere(runtime: Runtime, realm: RealmRecord) -> None:
    async with runtime.begin() as work:
        await work.db.write()
        await rename(work.db, realm, "Changed")


async def name_of(runtime: Runtime, realm: RealmRecord) -> str:
    async with runtime.reading() as db:
        rows = await db.execute(select(Realm.name).where(Realm.id == realm.id))
        return rows.scalar_one()


async def position(runtime: Runtime, realm: RealmRecord) -> int:
    """The last event this process knows of."""
    return (await runtime.hub.feed(realm.id)).position or 0


def assert_nothing_is_open(runtime: Runtime, realm: RealmRecord) -> None:
    assert runtime.database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]  # a queue
    assert not runtime.database.writer_turn(realm.id).locked()


class TestTransaction:
    async def test_end_of_the_block_commits_and_publishes(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async with realm_transaction(runtime, realm.id) as ctx:
            await rename(ctx.db, realm, "Changed")
            ctx.emit(Noted(text="a"), to=Everyone())
            assert await name_of(runtime, realm) == "Acme"
            assert await position(runtime, realm) == 0
        assert_nothing_is_open(runtime, realm)
        assert await name_of(runtime, realm) == "Changed"
        assert await position(runtime, realm) == 1

    async def test_exception_rolls_back_and_publishes_nothing(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async def write() -> None:
            async with realm_transaction(runtime, realm.id) as ctx:
                await rename(ctx.db, realm, "Changed")
                ctx.emit(Noted(text="a"), to=Everyone())
                raise LookupError

        with pytest.raises(LookupError):
            await write()
        assert_nothing_is_open(runtime, realm)
        assert await name_of(runtime, realm) == "Acme"
        assert await position(runtime, realm) == 0

    async def test_cancellation_rolls_back(self, runtime: Runtime, realm: RealmRecord) -> None:
        has_written = asyncio.Event()

        async def write() -> None:
            async with realm_transaction(runtime, realm.id) as ctx:
                await rename(ctx.db, realm, "Changed")
                has_written.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(write())
        await has_written.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert_nothing_is_open(runtime, realm)
        assert await name_of(runtime, realm) == "Acme"

    async def test_second_transaction_waits_and_sees_what_the_first_committed(
        self, runtime: Runtime, other_process: Runtime, realm: RealmRecord
    ) -> None:
        async def append(where: Runtime, letter: str) -> None:
            async with realm_transaction(where, realm.id) as ctx:
                assert ctx.db.has_locked(realm.id)
                rows = await ctx.db.execute(select(Realm.name).where(Realm.id == realm.id))
                await rename(ctx.db, realm, rows.scalar_one() + letter)

        await asyncio.gather(
            *(append(where, letter) for letter in "aaa" for where in (runtime, other_process))
        )
        assert await name_of(runtime, realm) == "Acmeaaaaaa"

    async def test_block_knows_what_other_processes_committed_before(
        self, runtime: Runtime, other_process: Runtime, realm: RealmRecord
    ) -> None:
        assert (await runtime.realms.of_id(realm.id)).name == "Acme"
        assert await position(runtime, realm) == 0
        async with realm_transaction(other_process, realm.id) as ctx:
            await rename(ctx.db, realm, "Changed")
            ctx.emit(RealmTouched(), to=Everyone())
        async with realm_transaction(runtime, realm.id) as ctx:
            assert ctx.realm.name == "Changed"
            assert await position(runtime, realm) == 1

    async def test_snapshot_in_the_block_keeps_the_lock(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async with realm_transaction(runtime, realm.id) as ctx:
            await rename(ctx.db, realm, "Changed")
            await ctx.snapshot()
            assert ctx.db.has_locked(realm.id)
        assert await name_of(runtime, realm) == "Changed"


class TestReading:
    @pytest.mark.any_database
    async def test_connection_is_released_at_the_end(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async with realm_reading(runtime, realm.id) as ctx:
            rows = await ctx.db.execute(select(Realm.name).where(Realm.id == ctx.realm.id))
            assert rows.scalar_one() == "Acme"
            assert not ctx.db.has_locked(realm.id)
        assert_nothing_is_open(runtime, realm)

    async def test_connection_is_released_after_an_exception(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async def read() -> None:
            async with realm_reading(runtime, realm.id) as ctx:
                await ctx.db.execute(select(Realm.name))
                raise LookupError

        with pytest.raises(LookupError):
            await read()
        assert_nothing_is_open(runtime, realm)


class TestReleaseConnection:
    async def test_next_statement_connects_again(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async with realm_reading(runtime, realm.id) as ctx:
            await ctx.db.execute(select(Realm.name))
            await ctx.release_connection()
            assert_nothing_is_open(runtime, realm)
            await rename_elsewhere(runtime, realm)
            assert (await ctx.db.execute(select(Realm.name))).scalar_one() == "Changed"

    async def test_snapshot_ends(self, runtime: Runtime, realm: RealmRecord) -> None:
        async with realm_reading(runtime, realm.id) as ctx:
            await ctx.snapshot()
            await rename_elsewhere(runtime, realm)
            assert (await ctx.db.execute(select(Realm.name))).scalar_one() == "Acme"
            await ctx.release_connection()
            assert (await ctx.db.execute(select(Realm.name))).scalar_one() == "Changed"
            assert ctx.db.as_of is None

    async def test_lock_is_released(self, runtime: Runtime, realm: RealmRecord) -> None:
        async with realm_transaction(runtime, realm.id) as ctx:
            await ctx.release_connection()
            assert_nothing_is_open(runtime, realm)
            assert not ctx.db.has_locked(realm.id)

    @pytest.mark.any_database
    async def test_refused_after_an_event_was_emitted(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async with realm_transaction(runtime, realm.id) as ctx:
            ctx.emit(Noted(text="a"), to=Everyone())
            with pytest.raises(RuntimeError, match="before you emit"):
                await ctx.release_connection()
            assert ctx.db.has_locked(realm.id)
        assert await position(runtime, realm) == 1


class TestUnitOfWork:
    """A transaction that locks no realm, or one that does not exist before."""

    async def test_end_of_the_block_commits(self, runtime: Runtime, realm: RealmRecord) -> None:
        async with runtime.begin() as work:
            await work.db.write()
            await rename(work.db, realm, "Changed")
        assert_nothing_is_open(runtime, realm)
        assert await name_of(runtime, realm) == "Changed"

    @pytest.mark.any_database
    async def test_exception_rolls_back(self, runtime: Runtime, realm: RealmRecord) -> None:
        async def write() -> None:
            async with runtime.begin() as work:
                await work.db.write()
                await rename(work.db, realm, "Changed")
                raise LookupError

        with pytest.raises(LookupError):
            await write()
        assert_nothing_is_open(runtime, realm)
        assert await name_of(runtime, realm) == "Acme"

    async def test_failed_commit_leaves_nothing_open(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async def write() -> None:
            async with runtime.begin() as work:
                await work.db.lock_realm(realm.id)
                await rename(work.db, realm, "Changed")
                work.emit(realm.id, Noted(text="a"), Everyone())

        engine = runtime.database.engine.sync_engine
        event.listen(engine, "commit", _fail)
        try:
            with pytest.raises(LookupError):
                await write()
        finally:
            event.remove(engine, "commit", _fail)
        assert_nothing_is_open(runtime, realm)
        assert await name_of(runtime, realm) == "Acme"
        assert await position(runtime, realm) == 0


def _fail(_connection: object) -> None:
    raise LookupError
