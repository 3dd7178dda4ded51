"""One transaction and its events: numbers without gaps, and no event without a commit."""

import asyncio

import pytest
from sqlalchemy import event

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventNumber
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Everyone
from chatapi.events.entry import Entry
from chatapi.events.log import EventLog
from tests import factories
from tests.support.apps import StartApp
from tests.support.sample_events import Noted, Whispered, commit_events


async def logged(runtime: Runtime, realm: RealmRecord) -> list[Entry]:
    async with DatabaseSession(runtime.database) as db:
        return await EventLog(db).read(realm.id, EventNumber(0), 10_000)


async def last_event(runtime: Runtime, realm: RealmRecord) -> int:
    async with DatabaseSession(runtime.database) as db:
        return (await EventLog(db).read_clock(realm.id)).last_event


class TestCommit:
    async def test_numbers_events_in_the_order_they_were_emitted(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        await commit_events(runtime, realm, Noted(text="c"))
        entries = await logged(runtime, realm)
        assert [entry.number for entry in entries] == [1, 2, 3]
        assert [entry.event for entry in entries] == [Noted(text=text) for text in "abc"]
        assert await last_event(runtime, realm) == 3

    async def test_fifty_writers_leave_no_gap(self, runtime: Runtime, realm: RealmRecord) -> None:
        await asyncio.gather(
            *(commit_events(runtime, realm, Noted(text=str(n))) for n in range(50))
        )
        entries = await logged(runtime, realm)
        assert [entry.number for entry in entries] == list(range(1, 51))
        assert len({entry.event for entry in entries}) == 50

    async def test_writers_of_two_processes_leave_no_gap(
        self, runtime: Runtime, realm: RealmRecord, start_app: StartApp
    ) -> None:
        other = (await start_app()).runtime
        await asyncio.gather(
            *(
                commit_events(where, realm, Noted(text=str(n)))
                for n in range(20)
                for where in (runtime, other)
            )
        )
        entries = await logged(runtime, realm)
        assert [entry.number for entry in entries] == list(range(1, 41))

    async def test_realms_have_their_own_numbers(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        other = await factories.make_realm(runtime, "Other")
        await asyncio.gather(
            *(commit_events(runtime, where, Noted(text="")) for where in (realm, other))
        )
        assert await last_event(runtime, realm) == 1
        assert await last_event(runtime, other) == 1

    async def test_ephemeral_events_are_not_logged(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        await commit_events(runtime, realm, Whispered(text=""))
        assert await logged(runtime, realm) == []
        assert await last_event(runtime, realm) == 0


class TestCancellation:
    async def test_during_the_commit_lets_it_end_first(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        request = asyncio.create_task(commit_events(runtime, realm, Noted(text="a")))
        writing: set[object] = set()

        def note(connection: object, _cursor: object, statement: str, *_rest: object) -> None:
            # The lock is its first statement; those that write run on the driver of SQLite.
            if "realm_clock" in statement:
                writing.add(connection)

        def cancel(connection: object) -> None:
            # Jobs of the process commit as well.
            if connection in writing:
                request.cancel()

        engine = runtime.database.engine.sync_engine
        event.listen(engine, "before_cursor_execute", note)
        event.listen(engine, "commit", cancel)
        try:
            with pytest.raises(asyncio.CancelledError):
                await request
        finally:
            event.remove(engine, "commit", cancel)
            event.remove(engine, "before_cursor_execute", note)
        await commit_events(runtime, realm, Noted(text="b"))
        assert [entry.event for entry in await logged(runtime, realm)] == [
            Noted(text="a"),
            Noted(text="b"),
        ]

    async def test_at_any_moment_leaves_all_or_nothing(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        for awaits in range(0, 60, 3):
            request = asyncio.create_task(
                commit_events(runtime, realm, Noted(text="x"), Noted(text="y"))
            )
            for _ in range(awaits):
                await asyncio.sleep(0)
            request.cancel()
            (outcome,) = await asyncio.gather(request, return_exceptions=True)
            assert outcome is None or isinstance(outcome, asyncio.CancelledError)
        await commit_events(runtime, realm, Noted(text="end"))
        entries = await logged(runtime, realm)
        assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
        assert len(entries) % 2 == 1


class TestRollback:
    async def test_leaves_no_event_and_no_gap(self, runtime: Runtime, realm: RealmRecord) -> None:
        work = runtime.begin()
        await work.db.lock_realm(realm.id)
        work.emit(realm.id, Noted(text="never"), Everyone())
        await work.db.close()
        await commit_events(runtime, realm, Noted(text="first"))
        entries = await logged(runtime, realm)
        assert [(entry.number, entry.event) for entry in entries] == [(1, Noted(text="first"))]

    async def test_failed_writer_releases_the_lock(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        async def fail() -> None:
            work = runtime.begin()
            try:
                await work.db.lock_realm(realm.id)
                raise LookupError
            finally:
                await work.db.close()

        writers = [
            fail() if n % 2 else commit_events(runtime, realm, Noted(text="")) for n in range(20)
        ]
        results = await asyncio.gather(*writers, return_exceptions=True)
        assert sum(isinstance(result, LookupError) for result in results) == 10
        assert await last_event(runtime, realm) == 10


class TestEmit:
    async def test_refuses_before_the_realm_is_locked(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        work = runtime.begin()
        with pytest.raises(RuntimeError, match="lock the realm"):
            work.emit(realm.id, Noted(text=""), Everyone())

    async def test_refuses_for_another_realm(self, runtime: Runtime, realm: RealmRecord) -> None:
        other = await factories.make_realm(runtime, "Other")
        work = runtime.begin()
        await work.db.lock_realm(realm.id)
        with pytest.raises(RuntimeError, match="lock the realm"):
            work.emit(other.id, Noted(text=""), Everyone())
        await work.db.close()


class TestLock:
    async def test_waiting_writer_reads_what_the_previous_one_committed(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        first = runtime.begin()
        await first.db.lock_realm(realm.id)
        second = runtime.begin()
        waiting = asyncio.create_task(second.db.lock_realm(realm.id))
        first.emit(realm.id, Noted(text=""), Everyone())
        await first.commit()
        assert await waiting == 1
        await second.db.close()

    async def test_waiting_writers_leave_connections_to_readers(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        first = runtime.begin()
        await first.db.lock_realm(realm.id)
        writers = [
            asyncio.create_task(commit_events(runtime, realm, Noted(text=""))) for _ in range(30)
        ]
        assert await last_event(runtime, realm) == 0
        await first.db.close()
        await asyncio.gather(*writers)
        assert await last_event(runtime, realm) == 30
