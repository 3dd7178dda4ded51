"""Group commit: waiting writes share a transaction, and a failing one fails alone."""

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from sqlalchemy import event, insert

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.core.settings import Settings
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.message_ids import take_message_ids
from chatapi.db.models import RealmClock
from chatapi.db.session import DatabaseSession
from chatapi.events.audience import Everyone
from chatapi.events.entry import Entry
from chatapi.events.hub import Observer
from chatapi.events.log import EventLog
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.main import ChatApp
from tests import factories
from tests.support.apps import make_settings, running_app
from tests.support.clock import MovableClock
from tests.support.killable_postgres import KillablePostgres, killable_postgres
from tests.support.sample_events import Noted, append
from tests.support.servers import migrate
from tests.support.waiting import until, until_true

REFUSED = "refused"
WRONG = "wrong"
AWAY = "away"


class RefusedError(Exception):
    """The error that the writer of a refused item gets."""


class Notebook:
    """Writes every item as an event, and records which items shared a transaction."""

    def __init__(self, runtime: Runtime, realm: RealmRecord) -> None:
        self.runtime = runtime
        self.realm = realm
        self.batches: list[list[str]] = []
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()

    async def note(self, text: str, name: str = "notes") -> str:
        return await self.runtime.group_committer.submit(self.realm.id, name, self.write, text)

    async def note_all(self, *texts: str) -> list[str | BaseException]:
        return await asyncio.gather(*map(self.note, texts), return_exceptions=True)

    async def write(self, work: UnitOfWork, texts: Sequence[str]) -> list[str | Exception]:
        self.batches.append(list(texts))
        await self.may_go_on.wait()
        return [await self._write_one(work, text) for text in texts]

    async def _write_one(self, work: UnitOfWork, text: str) -> str | Exception:
        if text == REFUSED:
            return RefusedError()
        if text == AWAY and len(self.batches[-1]) == 1:
            raise ConnectionResetError
        work.emit(self.realm.id, Noted(text=text), Everyone())
        if text in {WRONG, AWAY}:
            # The database refuses it, and the whole transaction fails.
            clock = {"realm_id": self.realm.id, "last_event": 0, "log_floor": 0}
            await work.db.execute(insert(RealmClock), clock)
        return f"{text} noted"

    async def read(self) -> list[str]:
        async with DatabaseSession(self.runtime.database) as db:
            entries = await EventLog(db).read(self.realm.id, EventNumber(0), 10_000)
        assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
        return [entry.event.text for entry in entries if isinstance(entry.event, Noted)]


class Letters:
    """Notes with message ids; records whether each attempt to write was optimistic."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook
        self.relied: list[bool] = []
        self.ids: list[MessageId] = []
        self.meanwhile: Callable[[], Awaitable[None]] | None = None
        """What another process does, once, during a write."""

    async def send(self, text: str) -> str:
        group_committer, realm_id = self.notebook.runtime.group_committer, self.notebook.realm.id
        return await group_committer.submit(
            realm_id, "letters", self.write, text, sends_messages=True
        )

    async def write(self, work: UnitOfWork, texts: Sequence[str]) -> list[str | Exception]:
        self.relied.append(work.db.is_optimistic)
        ids = await take_message_ids(work.db, len(texts))
        await self.notebook.write(work, texts)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        work.after_commit(lambda: self.ids.extend(ids))
        return [f"{text} sent" for text in texts]


@asynccontextmanager
async def other_process(settings: Settings) -> AsyncIterator[Database]:
    database = Database(settings)
    yield database
    await database.close()


async def note_elsewhere(database: Database, realm: RealmRecord, text: str) -> None:
    async with DatabaseSession(database) as db:
        await db.lock_realm(realm.id)
        await take_message_ids(db, 50)
        await append(db, realm, Noted(text=text), at=datetime.now(UTC))
        await db.commit()


@pytest.fixture
def notebook(runtime: Runtime, realm: RealmRecord) -> Notebook:
    return Notebook(runtime, realm)


@asynccontextmanager
async def realm_lock_held(notebook: Notebook) -> AsyncIterator[None]:
    """Hold the realm's lock: writers that arrive now wait until the block ends."""
    async with DatabaseSession(notebook.runtime.database) as db:
        await db.lock_realm(notebook.realm.id)
        yield


async def until_waiting(notebook: Notebook, count: int) -> None:
    lines = notebook.runtime.group_committer._queues

    def count_waiting() -> int:
        return sum(
            len(line.waiting) for kind, line in lines.items() if kind[0] == notebook.realm.id
        )

    await until(lambda: count_waiting() == count)


@contextmanager
def counted_commits(runtime: Runtime) -> Iterator[list[object]]:
    commits: list[object] = []
    engine = runtime.database.engine.sync_engine

    def count(connection: object) -> None:
        commits.append(connection)

    event.listen(engine, "commit", count)
    try:
        yield commits
    finally:
        event.remove(engine, "commit", count)


@contextmanager
def recorded_complaints() -> Iterator[list[dict[str, Any]]]:
    """The errors that the event loop's exception handler reports."""
    complaints: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, complaint: complaints.append(complaint))
    try:
        yield complaints
        gc.collect()
    finally:
        loop.set_exception_handler(None)


class TestBatches:
    async def test_single_writer_is_committed_without_waiting(self, notebook: Notebook) -> None:
        texts = [str(number) for number in range(10)]
        assert [await notebook.note(text) for text in texts] == [f"{text} noted" for text in texts]
        assert notebook.batches == [[text] for text in texts]
        assert await notebook.read() == texts

    async def test_all_waiting_writes_go_into_one_transaction(self, notebook: Notebook) -> None:
        texts = [str(number) for number in range(40)]
        async with realm_lock_held(notebook):
            notes = asyncio.create_task(notebook.note_all(*texts))
            await until_waiting(notebook, len(texts))
        with counted_commits(notebook.runtime) as commits:
            assert await notes == [f"{text} noted" for text in texts]
        assert notebook.batches == [texts]
        assert len(commits) == 1
        assert await notebook.read() == texts

    async def test_write_during_a_transaction_goes_into_the_next_one(
        self, notebook: Notebook
    ) -> None:
        notebook.may_go_on.clear()
        first = asyncio.create_task(notebook.note("first"))
        await until(lambda: notebook.batches == [["first"]])
        rest = asyncio.create_task(notebook.note_all("a", "b", "c"))
        await until_waiting(notebook, 3)
        notebook.may_go_on.set()
        await asyncio.gather(first, rest)
        assert notebook.batches == [["first"], ["a", "b", "c"]]

    async def test_writer_is_answered_before_those_who_wait_for_the_event(
        self, notebook: Notebook
    ) -> None:
        """Thousands of polls may wait for it."""
        await notebook.note("the first one, which opens the feed")
        order: list[str] = []

        def wake_poll(_entry: Entry) -> None:
            asyncio.get_running_loop().call_soon(order.append, "poll")

        observer = Observer(on_event=wake_poll, on_reset=lambda _realm_id: None)
        notebook.runtime.hub.observe(observer)
        await notebook.note("second")
        order.append("writer")
        await until(lambda: "poll" in order)
        assert order == ["writer", "poll"]

    async def test_number_of_writes_in_a_transaction_is_limited(self, notebook: Notebook) -> None:
        texts = [str(number) for number in range(130)]
        async with realm_lock_held(notebook):
            notes = asyncio.create_task(notebook.note_all(*texts))
            await until_waiting(notebook, len(texts))
        await notes
        assert [len(batch) for batch in notebook.batches] == [100, 30]
        assert await notebook.read() == texts

    async def test_writes_without_events_do_not_lock_the_realm(self, notebook: Notebook) -> None:
        locked: list[bool] = []

        async def look(work: UnitOfWork, items: Sequence[str]) -> list[str | Exception]:
            locked.append(work.db.has_locked(notebook.realm.id))
            return [RefusedError() if item == REFUSED else item for item in items]

        async def whisper(item: str) -> str:
            group_committer = notebook.runtime.group_committer
            return await group_committer.submit(
                notebook.realm.id, "whispers", look, item, locks_realm=False
            )

        heard = await asyncio.gather(*map(whisper, ("a", REFUSED, "b")), return_exceptions=True)
        assert heard[::2] == ["a", "b"]
        assert isinstance(heard[1], RefusedError)
        assert not any(locked)

    async def test_other_kinds_and_other_realms_have_their_own_transactions(
        self, notebook: Notebook
    ) -> None:
        other_realm = await factories.make_realm(notebook.runtime, "Other")
        other = Notebook(notebook.runtime, other_realm)
        async with realm_lock_held(notebook):
            notes = asyncio.gather(notebook.note("a"), notebook.note("b", name="other things"))
            elsewhere = asyncio.create_task(other.note("c"))
            await until_waiting(notebook, 2)
        await asyncio.gather(notes, elsewhere)
        assert sorted(notebook.batches) == [["a"], ["b"]]
        assert other.batches == [["c"]]


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
class TestOptimisticWrites:
    """A process that is the only writer skips the lock, and detects other writers in time."""

    @pytest.fixture
    async def letters(self, notebook: Notebook) -> Letters:
        letters = Letters(notebook)
        for text in "abc":
            await letters.send(text)
        assert letters.relied == [False, False, True]
        return letters

    async def test_no_lock_while_there_is_no_other_writer(self, letters: Letters) -> None:
        for text in "def":
            await letters.send(text)
        assert letters.relied[3:] == [True] * 3
        assert await letters.notebook.read() == list("abcdef")
        assert letters.ids == sorted(set(letters.ids))

    async def test_other_writer_in_the_process_is_detected_before_writing(
        self, letters: Letters
    ) -> None:
        await letters.notebook.note("of the process")
        await letters.send("d")
        assert letters.relied[3:] == [False]
        assert await letters.notebook.read() == ["a", "b", "c", "of the process", "d"]

    async def test_request_of_the_process_that_a_batch_waited_for_ends_no_optimistic_writes(
        self, notebook: Notebook
    ) -> None:
        letters = Letters(notebook)
        await letters.send("a")
        realm_id = notebook.realm.id
        turn = notebook.runtime.database.writer_turn(realm_id)
        async with notebook.runtime.begin() as request:
            await request.db.lock_realm(realm_id)
            sending = asyncio.create_task(letters.send("b"))
            await until(lambda: turn.waiting == 1)
            request.emit(realm_id, Noted(text="of the process"), Everyone())
        await sending
        await letters.send("c")
        assert letters.relied == [False, False, True]
        assert await notebook.read() == ["a", "of the process", "b", "c"]

    async def test_writer_in_another_process_is_detected_at_commit(
        self, letters: Letters, settings: Settings
    ) -> None:
        async with other_process(settings) as there:
            letters.meanwhile = partial(note_elsewhere, there, letters.notebook.realm, "theirs")
            await letters.send("d")
        assert letters.relied[3:] == [True, False]
        await letters.send("e")
        assert await letters.notebook.read() == [*"abc", "theirs", *"de"]
        assert letters.ids == sorted(set(letters.ids))

    async def test_failed_optimistic_write_is_retried_with_the_lock(self, letters: Letters) -> None:
        with pytest.raises(Exception, match=r"(?i)unique"):
            await letters.send(WRONG)
        assert letters.relied[3:] == [True, False]
        assert await letters.send("d") == "d sent"
        assert await letters.notebook.read() == list("abcd")

    async def test_simultaneous_writes_share_a_transaction(self, letters: Letters) -> None:
        texts = [str(number) for number in range(40)]
        assert await asyncio.gather(*map(letters.send, texts)) == [f"{text} sent" for text in texts]
        assert letters.notebook.batches[3:] == [texts]
        assert letters.ids == sorted(set(letters.ids))

    async def test_next_writes_of_clients_just_answered_join_those_that_wait(
        self, letters: Letters
    ) -> None:
        async def send_twice(text: str) -> None:
            await letters.send(text)
            for _ in range(2):
                # The event loop reads the client's next request, and starts its task.
                await asyncio.sleep(0)
            await letters.send(text.upper())

        notebook = letters.notebook
        notebook.may_go_on.clear()
        first = [asyncio.create_task(send_twice(text)) for text in "de"]
        await until(lambda: len(notebook.batches) == 4)
        others = [asyncio.create_task(letters.send(text)) for text in "fg"]
        await until_waiting(notebook, 2)
        notebook.may_go_on.set()
        await asyncio.gather(*first, *others)
        assert notebook.batches[3:] == [["d", "e"], ["f", "g", "D", "E"]]
        assert letters.relied[-1]


class TestFailures:
    async def test_refused_item_does_not_affect_the_others(self, notebook: Notebook) -> None:
        async with realm_lock_held(notebook):
            notes = asyncio.create_task(notebook.note_all("a", REFUSED, "b"))
            await until_waiting(notebook, 3)
        first, refused, last = await notes
        assert (first, last) == ("a noted", "b noted")
        assert isinstance(refused, RefusedError)
        assert notebook.batches == [["a", REFUSED, "b"]]
        assert await notebook.read() == ["a", "b"]

    async def test_item_with_database_error_fails_alone(self, notebook: Notebook) -> None:
        async with realm_lock_held(notebook):
            notes = asyncio.create_task(notebook.note_all("a", WRONG, "b"))
            await until_waiting(notebook, 3)
        first, wrong, last = await notes
        assert (first, last) == ("a noted", "b noted")
        assert isinstance(wrong, Exception)
        assert "UNIQUE" in str(wrong).upper()
        assert notebook.batches == [["a", WRONG, "b"], ["a"], [WRONG], ["b"]]
        assert await notebook.read() == ["a", "b"]

    async def test_failed_batch_of_one_is_not_retried(self, notebook: Notebook) -> None:
        with pytest.raises(Exception, match=r"(?i)unique"):
            await notebook.note(WRONG)
        assert notebook.batches == [[WRONG]]
        assert await notebook.note("after") == "after noted"

    async def test_lost_database_ends_retries_of_single_items(self, notebook: Notebook) -> None:
        async with realm_lock_held(notebook):
            notes = asyncio.create_task(notebook.note_all("a", AWAY, "b", "c"))
            await until_waiting(notebook, 4)
        first, *rest = await notes
        assert first == "a noted"
        assert [type(error) for error in rest] == [ConnectionResetError] * 3
        assert notebook.batches == [["a", AWAY, "b", "c"], ["a"], [AWAY]]
        assert await notebook.note("after") == "after noted"

    async def test_missing_results_are_an_error(self, notebook: Notebook) -> None:
        async def forget(_work: UnitOfWork, _texts: Sequence[str]) -> list[str | Exception]:
            return []

        with pytest.raises(RuntimeError, match="one result for each item"):
            await notebook.runtime.group_committer.submit(
                notebook.realm.id, "forgotten", forget, "a"
            )

    async def test_error_after_commit_causes_no_retry(self, notebook: Notebook) -> None:
        await notebook.note("first")
        faults = [LookupError("a cache is broken")]

        def stumble(_entry: Entry) -> None:
            if faults:
                raise faults.pop()

        def forget(_realm_id: RealmId) -> None:
            pass

        notebook.runtime.hub.observe(Observer(stumble, forget))
        async with realm_lock_held(notebook):
            notes = asyncio.create_task(notebook.note_all("a", "b"))
            await until_waiting(notebook, 2)
        assert await notes == ["a noted", "b noted"]
        assert await notebook.read() == ["first", "a", "b"]


class TestCancellation:
    async def test_other_writes_in_the_batch_are_committed(self, notebook: Notebook) -> None:
        async with realm_lock_held(notebook):
            notes = [asyncio.create_task(notebook.note(text)) for text in "abc"]
            await until_waiting(notebook, 3)
            for impatient in notes[:2]:
                impatient.cancel()
            await asyncio.wait(notes[:2])
        assert await notes[2] == "c noted"
        # Items already submitted are not withdrawn: a retry finds them written.
        assert await notebook.read() == ["a", "b", "c"]

    async def test_during_the_transaction_does_not_block_later_writes(
        self, notebook: Notebook
    ) -> None:
        notebook.may_go_on.clear()
        first = asyncio.create_task(notebook.note("first"))
        await until(lambda: bool(notebook.batches))
        first.cancel()
        second = asyncio.create_task(notebook.note("second"))
        notebook.may_go_on.set()
        assert await second == "second noted"
        assert first.cancelled()
        assert await notebook.read() == ["first", "second"]

    async def test_leaves_no_unretrieved_exception(self, notebook: Notebook) -> None:
        with recorded_complaints() as complaints:
            async with realm_lock_held(notebook):
                refused = asyncio.create_task(notebook.note(REFUSED))
                await until_waiting(notebook, 1)
                refused.cancel()
                await asyncio.wait([refused])
            # The event loop reports an unretrieved exception once nothing refers to it.
            del refused
            assert await notebook.note("after") == "after noted"
        assert complaints == []


class TestClosing:
    async def test_waits_for_running_transactions(self, notebook: Notebook) -> None:
        notebook.may_go_on.clear()
        notes = asyncio.create_task(notebook.note_all("a", "b"))
        await until(lambda: bool(notebook.batches))
        closing = asyncio.create_task(notebook.runtime.group_committer.close())
        late = asyncio.create_task(notebook.note("late"))
        await until_waiting(notebook, 1)
        assert not closing.done()
        notebook.may_go_on.set()
        await closing
        assert await notes == ["a noted", "b noted"]
        assert await late == "late noted"

    async def test_idle_committer_closes_at_once(self, notebook: Notebook) -> None:
        await notebook.note("a")
        await notebook.runtime.group_committer.close()


class TestDatabaseAway:
    """On a PostgreSQL of its own, since it is killed."""

    @pytest.fixture
    def postgres(self) -> Iterator[KillablePostgres]:
        with killable_postgres() as postgres:
            yield postgres

    @pytest.fixture
    async def app(
        self, postgres: KillablePostgres, tmp_path_factory: pytest.TempPathFactory
    ) -> AsyncIterator[ChatApp]:
        await postgres.server.create_database("away")
        await migrate(postgres.server.url_for("away"))
        settings = make_settings(postgres.server.url_for("away"), tmp_path_factory.mktemp("data"))
        async with running_app(settings, MovableClock()) as app:
            yield app

    @pytest.mark.slow
    async def test_fails_all_waiting_writes_at_once_and_recovers(
        self, notebook: Notebook, postgres: KillablePostgres
    ) -> None:
        await notebook.note("before")
        postgres.kill()
        notes = await notebook.note_all("a", "b", "c")
        assert all(isinstance(note, Exception) and is_unavailable(note) for note in notes)
        assert len({id(note) for note in notes}) == 1
        assert notebook.batches == [["before"]]
        postgres.start()
        await until_true(works_again(notebook))
        assert await notebook.read() == ["before", "again"]


def works_again(notebook: Notebook) -> Callable[[], Awaitable[bool]]:
    async def is_noted() -> bool:
        return await notebook.note_all("again") == ["again noted"]

    return is_noted
