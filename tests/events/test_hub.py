"""The hub of a process: with or without a bus, it ends up with the entries of the log."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import EventNumber, RealmId
from chatapi.core.measurements import Measurements
from chatapi.db.session import DatabaseSession
from chatapi.events.bus import Batch, LocalBus
from chatapi.events.entry import Entry
from chatapi.events.hub import Hub, Observer
from chatapi.events.log import EventLog
from tests.support.clock import MovableClock
from tests.support.sample_events import Noted, commit_events
from tests.support.waiting import until


@dataclass
class Watcher:
    """Records what a cache would be notified of."""

    seen: list[Entry] = field(default_factory=list)
    lost: list[RealmId] = field(default_factory=list)

    def observer(self) -> Observer:
        return Observer(on_event=self.seen.append, on_reset=self.lost.append)

    def numbers(self) -> list[int]:
        return [entry.number for entry in self.seen]


@pytest.fixture
def watcher() -> Watcher:
    return Watcher()


@pytest.fixture
async def other_hub(runtime: Runtime, watcher: Watcher) -> AsyncIterator[Hub]:
    """The hub of another process without a bus; it is not started, so it does nothing by itself."""
    hub = Hub(runtime.database, LocalBus(), Measurements())
    hub.observe(watcher.observer())
    yield hub
    await hub.close()


async def entries_of(runtime: Runtime, realm: RealmRecord) -> list[Entry]:
    async with DatabaseSession(runtime.database) as db:
        return await EventLog(db).read(realm.id, EventNumber(0), 1000)


async def cut_log(runtime: Runtime, realm: RealmRecord, clock: MovableClock) -> None:
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        await EventLog(db).delete_before(realm.id, clock.now())
        await db.commit()


class TestFollowing:
    async def test_feed_begins_at_the_current_clock(
        self, runtime: Runtime, realm: RealmRecord, other_hub: Hub
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        assert (await other_hub.feed(realm.id)).position == 2

    async def test_batches_of_realms_without_feed_are_dropped(
        self, runtime: Runtime, realm: RealmRecord, other_hub: Hub, watcher: Watcher
    ) -> None:
        await commit_events(runtime, realm, Noted(text="a"))
        other_hub.receive(Batch(realm.id, logged=tuple(await entries_of(runtime, realm))))
        assert watcher.seen == []

    async def test_own_batches_are_available_at_once(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        feed = await runtime.hub.feed(realm.id)
        await commit_events(runtime, realm, Noted(text="a"))
        assert feed.position == 1

    async def test_catches_up_without_any_bus(
        self, runtime: Runtime, realm: RealmRecord, other_hub: Hub, watcher: Watcher
    ) -> None:
        await other_hub.start()
        await other_hub.feed(realm.id)
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        await until(lambda: watcher.numbers() == [1, 2])


class TestGaps:
    async def test_are_filled_from_the_log(
        self, runtime: Runtime, realm: RealmRecord, other_hub: Hub, watcher: Watcher
    ) -> None:
        await other_hub.feed(realm.id)
        for text in "abc":
            await commit_events(runtime, realm, Noted(text=text))
        *_, last = await entries_of(runtime, realm)
        other_hub.receive(Batch(realm.id, logged=(last,)))
        await until(lambda: watcher.numbers() == [1, 2, 3])

    async def test_duplicates_notify_observers_once(
        self, runtime: Runtime, realm: RealmRecord, other_hub: Hub, watcher: Watcher
    ) -> None:
        await other_hub.feed(realm.id)
        await commit_events(runtime, realm, Noted(text="a"))
        batch = Batch(realm.id, logged=tuple(await entries_of(runtime, realm)))
        other_hub.receive(batch)
        other_hub.receive(batch)
        feed = await other_hub.feed(realm.id)
        await other_hub.catch_up(feed)
        assert watcher.numbers() == [1]

    async def test_more_than_a_page_of_the_log(
        self, runtime: Runtime, realm: RealmRecord, other_hub: Hub, watcher: Watcher
    ) -> None:
        feed = await other_hub.feed(realm.id)
        await commit_events(runtime, realm, *(Noted(text=str(n)) for n in range(1200)))
        await other_hub.catch_up(feed)
        assert watcher.numbers() == list(range(1, 1201))


class TestTrimmedLog:
    async def test_caches_are_cleared(
        self,
        runtime: Runtime,
        realm: RealmRecord,
        other_hub: Hub,
        watcher: Watcher,
        clock: MovableClock,
    ) -> None:
        feed = await other_hub.feed(realm.id)
        await commit_events(runtime, realm, Noted(text="a"), Noted(text="b"))
        clock.advance(hours=1)
        await cut_log(runtime, realm, clock)
        await commit_events(runtime, realm, Noted(text="c"))
        await other_hub.catch_up(feed)
        assert set(watcher.lost) == {realm.id}
        assert feed.position == 3
        assert not feed.reaches_back_to(EventNumber(2))

    async def test_an_up_to_date_hub_loses_nothing(
        self, runtime: Runtime, realm: RealmRecord, clock: MovableClock
    ) -> None:
        watcher = Watcher()
        runtime.hub.observe(watcher.observer())
        await runtime.hub.feed(realm.id)
        await commit_events(runtime, realm, Noted(text="a"))
        clock.advance(hours=1)
        await cut_log(runtime, realm, clock)
        await commit_events(runtime, realm, Noted(text="b"))
        assert watcher.numbers() == [1, 2]
        assert watcher.lost == []
