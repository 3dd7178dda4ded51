"""Optimistic writes: everything in one statement, or nothing if the clock has moved."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import func, select, text, update

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventNumber, MessageId
from chatapi.core.settings import Settings
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.message_ids import take_message_ids
from chatapi.db.models import Realm, RealmClock
from chatapi.db.optimistic_write import ClockConflictError
from chatapi.db.session import DatabaseSession
from chatapi.db.transaction import ClockSnapshot
from chatapi.events.log import EventLog
from tests.support.sample_events import Noted, append
from tests.support.statements import recorded_statements
from tests.support.waiting import until_lock_is_awaited

# SQLite has no round trips to save: it always locks.
pytestmark = pytest.mark.parametrize("backend", ["postgresql"], indirect=True)

_END_WAITING_CONNECTIONS = text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@pytest.fixture
async def elsewhere(settings: Settings) -> AsyncIterator[Database]:
    """The same database, as another process sees it."""
    database = Database(settings)
    yield database
    await database.close()


async def note(db: DatabaseSession, runtime: Runtime, realm: RealmRecord, text: str) -> None:
    await append(db, realm, Noted(text=text), at=runtime.clock.now())


async def left_by_a_lock(
    runtime: Runtime, realm: RealmRecord, message_ids: int = 3
) -> ClockSnapshot:
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id, message_ids=message_ids)
        await note(db, runtime, realm, "before")
        await db.commit()
        assert db.left is not None
        return db.left


@asynccontextmanager
async def optimistic_session(
    runtime: Runtime, realm: RealmRecord
) -> AsyncIterator[DatabaseSession]:
    """A session with an optimistic write pending, without the lock."""
    left = await left_by_a_lock(runtime, realm)
    async with DatabaseSession(runtime.database) as db:
        await db.begin_optimistic(left)
        await note(db, runtime, realm, "optimistic")
        yield db


async def write_elsewhere(elsewhere: Database, runtime: Runtime, realm: RealmRecord) -> None:
    async with DatabaseSession(elsewhere) as db:
        await note(db, runtime, realm, "other")
        await db.commit()


async def noted(database: Database, realm: RealmRecord) -> list[str]:
    async with DatabaseSession(database) as db:
        entries = await EventLog(db).read(realm.id, EventNumber(0), 1_000)
        assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
        assert (await EventLog(db).read_clock(realm.id)).last_event == len(entries)
    return [entry.event.text for entry in entries if isinstance(entry.event, Noted)]


async def test_commit_takes_one_statement(
    runtime: Runtime, realm: RealmRecord, elsewhere: Database
) -> None:
    left = await left_by_a_lock(runtime, realm)
    # On a database that no job of the running service uses as well.
    async with DatabaseSession(elsewhere) as db:
        with recorded_statements(elsewhere, "") as recorded:
            await db.begin_optimistic(left)
            await note(db, runtime, realm, "optimistic")
            await db.commit()
        assert len(recorded) == 1
    assert await noted(runtime.database, realm) == ["before", "optimistic"]


async def test_each_commit_returns_the_snapshot_for_the_next(
    runtime: Runtime, realm: RealmRecord
) -> None:
    left = await left_by_a_lock(runtime, realm)
    used: list[MessageId] = []
    for letter in "abcdef":
        async with DatabaseSession(runtime.database) as db:
            await db.begin_optimistic(left)
            used += db.use_message_ids(2)
            await note(db, runtime, realm, letter)
            await db.commit()
            assert db.left is not None
            left = db.left
    assert await noted(runtime.database, realm) == ["before", *"abcdef"]
    # As many ids are reserved as were used: the reserve keeps its size.
    assert len(left.message_ids) == 3
    assert used == sorted(set(used))
    assert len(used) == 12
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        assert (await take_message_ids(db, 1))[0] > max(used)


class TestConcurrentWriter:
    async def test_commit_after_another_commit_writes_nothing(
        self, runtime: Runtime, realm: RealmRecord, elsewhere: Database
    ) -> None:
        async with optimistic_session(runtime, realm) as db:
            await write_elsewhere(elsewhere, runtime, realm)
            with pytest.raises(ClockConflictError):
                await db.commit()
        assert await noted(runtime.database, realm) == ["before", "other"]

    async def test_commit_behind_an_uncommitted_writer_writes_nothing(
        self, runtime: Runtime, realm: RealmRecord, elsewhere: Database
    ) -> None:
        async with optimistic_session(runtime, realm) as db, DatabaseSession(elsewhere) as other:
            await note(other, runtime, realm, "other")
            committing = asyncio.create_task(db.commit())
            await until_lock_is_awaited(elsewhere)
            await other.commit()
            with pytest.raises(ClockConflictError):
                await committing
        assert await noted(runtime.database, realm) == ["before", "other"]

    async def test_optimistic_write_holds_the_writer_turn_of_its_process(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async with optimistic_session(runtime, realm):
            assert runtime.database.writer_turn(realm.id).locked()
        assert not runtime.database.writer_turn(realm.id).locked()

    async def test_read_detects_the_conflict(
        self, runtime: Runtime, realm: RealmRecord, elsewhere: Database
    ) -> None:
        async with optimistic_session(runtime, realm) as db:
            await write_elsewhere(elsewhere, runtime, realm)
            with pytest.raises(ClockConflictError):
                await db.execute(select(func.count()).select_from(Realm))

    async def test_lock_without_events_causes_no_conflict(
        self, runtime: Runtime, realm: RealmRecord, elsewhere: Database
    ) -> None:
        async with optimistic_session(runtime, realm) as db:
            async with DatabaseSession(elsewhere) as other:
                await other.lock_realm(realm.id)
                await other.execute(update(RealmClock).values(log_floor=0))
                await other.commit()
            await db.commit()
        assert await noted(runtime.database, realm) == ["before", "optimistic"]


class TestFallbackToLock:
    async def test_any_other_statement_locks_the_realm(
        self, runtime: Runtime, realm: RealmRecord, elsewhere: Database
    ) -> None:
        async with optimistic_session(runtime, realm) as db:
            await db.execute(update(Realm).values(name="Changed"))
            assert await noted(elsewhere, realm) == ["before"]
            assert len(db.use_message_ids(2)) == 2
            await db.commit()
            assert db.left is not None
            assert (db.left.last_event, len(db.left.message_ids)) == (2, 1)
        assert await noted(elsewhere, realm) == ["before", "optimistic"]

    async def test_second_bulk_write_of_a_table_locks_the_realm(
        self, runtime: Runtime, realm: RealmRecord, elsewhere: Database
    ) -> None:
        async with optimistic_session(runtime, realm) as db:
            await note(db, runtime, realm, "again")
            assert await noted(elsewhere, realm) == ["before"]
            await db.commit()
        assert await noted(elsewhere, realm) == ["before", "optimistic", "again"]

    async def test_without_a_commit_nothing_is_written(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async with optimistic_session(runtime, realm):
            pass
        assert await noted(runtime.database, realm) == ["before"]

    async def test_commit_without_reserved_ids_leaves_no_snapshot(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async with DatabaseSession(runtime.database) as db:
            await db.lock_realm(realm.id)
            await db.commit()
            assert db.left is None
            await db.lock_realm(realm.id, message_ids=1)
            await take_message_ids(db, 2)
            await db.commit()
            assert db.left is None


async def test_a_lost_connection_is_not_used_again(
    runtime: Runtime, realm: RealmRecord, elsewhere: Database
) -> None:
    async with DatabaseSession(elsewhere) as db:
        await db.lock_realm(realm.id, message_ids=1)
        await db.commit()
        left = db.left
    assert left is not None
    async with DatabaseSession(elsewhere) as db, DatabaseSession(runtime.database) as other:
        await db.begin_optimistic(left)
        await note(db, runtime, realm, "lost")
        await other.lock_realm(realm.id)
        committing = asyncio.create_task(db.commit())
        await until_lock_is_awaited(runtime.database)
        await other.execute(_END_WAITING_CONNECTIONS)
        with pytest.raises(Exception) as failure:  # noqa: PT011 (which one depends on the moment)
            await committing
        assert is_unavailable(failure.value)
    async with DatabaseSession(elsewhere) as db:
        await db.begin_optimistic(left)
        await note(db, runtime, realm, "found")
        await db.commit()
    assert await noted(elsewhere, realm) == ["found"]


async def test_statement_is_in_the_log_of_statements(
    runtime: Runtime, realm: RealmRecord, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO", logger="sqlalchemy.engine.Engine"):
        async with optimistic_session(runtime, realm) as db:
            caplog.clear()
            await db.commit()
    logged = [each.getMessage() for each in caplog.records if each.name.endswith(".Engine")]
    assert [line for line in logged if "INSERT INTO event" in line and "optimistic" in line]
