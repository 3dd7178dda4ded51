"""The cache that events invalidate: a value is never older than the feed, whatever overlaps."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from typing_extensions import override

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import ChannelId, EventNumber, UserId
from chatapi.core.measurements import Measurements
from chatapi.db.session import DatabaseSession
from chatapi.events.bus import LocalBus
from chatapi.events.byte_limit import ByteLimit
from chatapi.events.cache_tags import (
    CacheTag,
    LinkifiersTag,
    SharedStateTag,
    SubscribersTag,
    UserTag,
)
from chatapi.events.event import Event
from chatapi.events.feed_cache import ALL_REALMS, FeedCache
from chatapi.events.hub import Hub
from chatapi.events.log import EventLog
from tests import factories
from tests.support.clock import MovableClock
from tests.support.sample_events import Noted, PersonTouched, RealmTouched, commit_events, entry
from tests.support.waiting import until

ONE, TWO, THREE = UserId(1), UserId(2), UserId(3)
KEYS = (ONE, TWO, THREE)
TEAMS = {ChannelId(1): (ONE, THREE), ChannelId(2): (TWO,)}
"""Values that have a tag in common, besides one of their own."""


class LinkifiersTouched(Event):
    """Invalidates everything of the realm in the caches of this page."""

    type: ClassVar[str] = "test_linkifiers_touched"
    is_internal: ClassVar[bool] = True
    cache_tags: ClassVar = frozenset({LinkifiersTag()})


class TeamTouched(Event):
    """Invalidates the values of a team."""

    type: ClassVar[str] = "test_team_touched"
    is_internal: ClassVar[bool] = True

    team: ChannelId

    @override
    def field_cache_tags(self) -> Iterable[CacheTag]:
        yield SubscribersTag(self.team)


@dataclass(eq=False)
class Value:
    """What a key had when it was read."""

    version: int
    is_stale: bool = False

    def mark_stale(self) -> None:
        self.is_stale = True


Cache = FeedCache[UserId, Value]


def new_cache(hub: Hub, max_values: int = 100) -> Cache:
    return FeedCache[UserId, Value](
        hub,
        max_values=max_values,
        realm_tags=(LinkifiersTag,),
        value_tags=(UserTag, SubscribersTag),
        tags_of=tags_of,
        mark_stale=Value.mark_stale,
    )


def tags_of(user_id: UserId, _value: Value) -> list[CacheTag]:
    [team] = [team for team, members in TEAMS.items() if user_id in members]
    return [UserTag(user_id), SubscribersTag(team)]


def reading(version: int) -> Callable[[], Awaitable[Value]]:
    async def read() -> Value:
        return Value(version)

    return read


async def read_before(runtime: Runtime, realm: RealmRecord, cache: Cache, *events: Event) -> Value:
    """Load a value that was read before events, and arrives after them."""

    async def read() -> Value:
        value = Value(1)
        for event in events:
            await commit_events(runtime, realm, event)
        return value

    return await cache.load(realm.id, ONE, read)


def touched(*user_ids: UserId) -> PersonTouched:
    return PersonTouched(user_ids=frozenset(user_ids))


async def cut_log(runtime: Runtime, realm: RealmRecord, clock: MovableClock) -> None:
    async with DatabaseSession(runtime.database) as db:
        await db.lock_realm(realm.id)
        await EventLog(db).delete_before(realm.id, clock.now())
        await db.commit()


@pytest.fixture
def cache(runtime: Runtime) -> Cache:
    return new_cache(runtime.hub)


@pytest.fixture
async def other_hub(runtime: Runtime) -> AsyncIterator[Hub]:
    """The hub of another process; it sees nothing until the test makes it catch up."""
    hub = Hub(runtime.database, LocalBus(), Measurements())
    yield hub
    await hub.close()


class TestTags:
    async def test_value_is_cached_until_an_event_with_its_tag(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        first = await cache.load(realm.id, ONE, reading(1))
        other = await cache.load(realm.id, TWO, reading(1))
        await commit_events(runtime, realm, Noted(text="about neither"))
        assert cache.get(realm.id, ONE) is first
        await commit_events(runtime, realm, touched(ONE))
        assert cache.get(realm.id, ONE) is None
        assert cache.get(realm.id, TWO) is other
        assert (first.is_stale, other.is_stale) == (True, False)

    async def test_value_with_two_tags_is_dropped_by_each_of_them(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        for event in (touched(ONE), TeamTouched(team=ChannelId(1)), touched(ONE)):
            value = await cache.load(realm.id, ONE, reading(1))
            assert cache.get(realm.id, ONE) is value
            await commit_events(runtime, realm, event)
            assert cache.get(realm.id, ONE) is None
            assert value.is_stale

    async def test_event_with_a_shared_tag_drops_all_values_that_have_it(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        values = [await cache.load(realm.id, key, reading(1)) for key in KEYS]
        await commit_events(runtime, realm, TeamTouched(team=ChannelId(1)))
        assert [cache.get(realm.id, key) for key in KEYS] == [None, values[1], None]
        assert [value.is_stale for value in values] == [True, False, True]

    @pytest.mark.parametrize("event", [LinkifiersTouched(), RealmTouched()])
    async def test_event_with_a_tag_of_the_realm_drops_all_of_its_values(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache, event: Event
    ) -> None:
        globex = await factories.make_realm(runtime, "Globex", "globex")
        dropped = [await cache.load(realm.id, key, reading(1)) for key in KEYS]
        kept = await cache.load(globex.id, ONE, reading(1))
        await commit_events(runtime, realm, event)
        assert all(value.is_stale for value in dropped)
        assert [cache.get(realm.id, key) for key in KEYS] == [None] * len(KEYS)
        assert cache.get(globex.id, ONE) is kept
        assert not kept.is_stale

    async def test_value_of_all_realms_is_dropped_by_events_of_each(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        await runtime.hub.feed(realm.id)
        value = cache.keep(cache.begin_now(ALL_REALMS), ONE, Value(1))
        assert cache.get(ALL_REALMS, ONE) is value
        await commit_events(runtime, realm, RealmTouched())
        assert cache.get(ALL_REALMS, ONE) is None
        assert value.is_stale

    def test_tags_of_an_event_are_those_of_its_class_and_of_its_fields(self) -> None:
        class Touched(Event):
            type: ClassVar[str] = "test_user_and_state_touched"

            user_id: UserId

            @override
            def field_cache_tags(self) -> Iterable[CacheTag]:
                yield UserTag(self.user_id)

        assert entry(1, Touched(user_id=ONE)).cache_tags == {SharedStateTag(), UserTag(ONE)}


class TestOverlappingLoads:
    @pytest.mark.parametrize(
        "event",
        [touched(ONE), TeamTouched(team=ChannelId(1)), LinkifiersTouched(), RealmTouched()],
    )
    async def test_value_read_before_an_event_of_its_tags_is_not_cached_after_it(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache, event: Event
    ) -> None:
        value = await read_before(runtime, realm, cache, event)
        assert value.is_stale
        assert cache.get(realm.id, ONE) is None

    @pytest.mark.parametrize("event", [touched(TWO), TeamTouched(team=ChannelId(2))])
    async def test_value_read_before_an_event_of_other_tags_is_cached_after_it(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache, event: Event
    ) -> None:
        value = await read_before(runtime, realm, cache, event)
        assert cache.get(realm.id, ONE) is value
        assert not value.is_stale

    async def test_event_of_the_whole_realm_counts_among_more_events_than_are_remembered(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        await runtime.hub.feed(realm.id)
        await commit_events(runtime, realm, touched(TWO))

        value = await read_before(
            runtime, realm, cache, LinkifiersTouched(), touched(*map(UserId, range(10, 510)))
        )
        assert value.is_stale
        assert cache.get(realm.id, ONE) is None

    async def test_value_read_before_more_events_than_are_remembered_is_not_cached(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        """Its own tag is among those that are forgotten."""
        value = await read_before(
            runtime, realm, cache, touched(ONE), touched(*map(UserId, range(10, 600)))
        )
        assert value.is_stale
        assert cache.get(realm.id, ONE) is None

    async def test_concurrent_loads_of_a_key_return_the_first_value(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        """Each cached value must be marked when it changes, not only the last one."""
        first, second = await asyncio.gather(
            cache.load(realm.id, ONE, reading(1)), cache.load(realm.id, ONE, reading(1))
        )
        assert first is second is cache.get(realm.id, ONE)
        await commit_events(runtime, realm, touched(ONE))
        assert first.is_stale

    async def test_failed_load_caches_nothing(self, realm: RealmRecord, cache: Cache) -> None:
        async def fail() -> Value:
            raise LookupError

        with pytest.raises(LookupError):
            await cache.load(realm.id, ONE, fail)
        assert cache.get(realm.id, ONE) is None

    async def test_value_read_in_a_transaction_is_not_cached(
        self, realm: RealmRecord, cache: Cache
    ) -> None:
        value = await cache.load(realm.id, ONE, reading(1), is_live=False)
        assert not value.is_stale
        assert cache.get(realm.id, ONE) is None


class TestBound:
    async def test_full_realm_drops_its_values_and_marks_them(
        self, runtime: Runtime, realm: RealmRecord
    ) -> None:
        cache = new_cache(runtime.hub, max_values=2)
        first, second = [await cache.load(realm.id, key, reading(1)) for key in (ONE, TWO)]
        third = await cache.load(realm.id, THREE, reading(1))
        assert (first.is_stale, second.is_stale, third.is_stale) == (True, True, False)
        assert cache.get(realm.id, THREE) is third
        assert cache.get(realm.id, ONE) is None


class TestByteLimit:
    @pytest.fixture
    def limit(self) -> ByteLimit[Value]:
        return ByteLimit(10, lambda value: value.version)

    def limited_cache(self, runtime: Runtime, limit: ByteLimit[Value]) -> Cache:
        return FeedCache[UserId, Value](
            runtime.hub,
            byte_limit=limit,
            value_tags=(UserTag,),
            tags_of=lambda user_id, _value: (UserTag(user_id),),
            mark_stale=Value.mark_stale,
        )

    async def test_value_that_was_added_first_gives_way_in_any_cache_and_realm(
        self, runtime: Runtime, realm: RealmRecord, limit: ByteLimit[Value]
    ) -> None:
        globex = await factories.make_realm(runtime, "Globex", "globex")
        cache, other = self.limited_cache(runtime, limit), self.limited_cache(runtime, limit)
        first = await cache.load(realm.id, ONE, reading(4))
        second = await other.load(globex.id, ONE, reading(4))
        third = await cache.load(realm.id, TWO, reading(5))
        assert (first.is_stale, second.is_stale, third.is_stale) == (True, False, False)
        assert cache.get(realm.id, ONE) is None
        assert other.get(globex.id, ONE) is second
        assert limit.used_bytes == 9

    async def test_replaced_value_counts_with_its_new_size(
        self, runtime: Runtime, realm: RealmRecord, limit: ByteLimit[Value]
    ) -> None:
        cache = self.limited_cache(runtime, limit)
        old = await cache.load(realm.id, ONE, reading(4))
        cache.replace(realm.id, ONE, old, Value(6))
        assert limit.used_bytes == 6
        await commit_events(runtime, realm, touched(ONE))
        assert limit.used_bytes == 0

    async def test_value_larger_than_the_limit_is_returned_and_not_cached(
        self, runtime: Runtime, realm: RealmRecord, limit: ByteLimit[Value]
    ) -> None:
        cache = self.limited_cache(runtime, limit)
        assert (await cache.load(realm.id, ONE, reading(11))).version == 11
        assert cache.get(realm.id, ONE) is None
        assert limit.used_bytes == 0

    @pytest.mark.parametrize(("event", "left"), [(touched(ONE), 4), (RealmTouched(), 0)])
    async def test_dropped_values_make_room(
        self,
        runtime: Runtime,
        realm: RealmRecord,
        limit: ByteLimit[Value],
        event: Event,
        left: int,
    ) -> None:
        cache = self.limited_cache(runtime, limit)
        await cache.load(realm.id, ONE, reading(5))
        await cache.load(realm.id, TWO, reading(4))
        await commit_events(runtime, realm, event)
        assert limit.used_bytes == left
        again = await cache.load(realm.id, ONE, reading(6))
        assert cache.get(realm.id, ONE) is again


class TestSnapshots:
    async def test_value_is_valid_for_snapshots_since_its_last_change(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        feed = await runtime.hub.feed(realm.id)
        before = feed.position or EventNumber(0)
        await commit_events(runtime, realm, touched(ONE), Noted(text="later"))
        changed, last = EventNumber(before + 1), EventNumber(before + 2)
        value = await cache.load_as_of(realm.id, ONE, last, reading(1))
        assert cache.get_as_of(realm.id, ONE, last) is value
        assert cache.get_as_of(realm.id, ONE, changed) is value
        assert cache.get_as_of(realm.id, ONE, before) is None

    async def test_value_of_a_snapshot_before_a_change_is_not_cached(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        feed = await runtime.hub.feed(realm.id)
        before = feed.position or EventNumber(0)
        await commit_events(runtime, realm, touched(ONE))
        value = await cache.load_as_of(realm.id, ONE, before, reading(1))
        assert value.version == 1
        assert cache.get_as_of(realm.id, ONE, EventNumber(before + 1)) is None

    async def test_value_is_valid_for_snapshots_before_changes_of_other_values(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        feed = await runtime.hub.feed(realm.id)
        before = feed.position or EventNumber(0)
        value = await cache.load_as_of(realm.id, ONE, before, reading(1))
        await commit_events(runtime, realm, touched(TWO))
        after = EventNumber(before + 1)
        changed = await cache.load_as_of(realm.id, TWO, after, reading(2))
        assert cache.get_some_as_of(realm.id, KEYS, before) == {ONE: value}
        assert cache.get_some_as_of(realm.id, KEYS, after) == {ONE: value, TWO: changed}

    async def test_value_that_changed_again_is_not_valid_for_snapshots_in_between(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        feed = await runtime.hub.feed(realm.id)
        await commit_events(runtime, realm, touched(ONE), touched(TWO))
        between = EventNumber(feed.position or 0)
        await commit_events(runtime, realm, touched(ONE))
        value = await cache.load_as_of(realm.id, ONE, EventNumber(between + 1), reading(1))
        assert cache.get_as_of(realm.id, ONE, between) is None
        assert cache.get_as_of(realm.id, ONE, EventNumber(between + 1)) is value

    async def test_value_of_a_snapshot_before_changes_of_other_values_is_cached(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        """A realm in which something changes all the time would otherwise cache nothing."""
        feed = await runtime.hub.feed(realm.id)
        before = feed.position or EventNumber(0)
        await commit_events(runtime, realm, touched(TWO))
        value = await cache.load_as_of(realm.id, ONE, before, reading(1))
        assert cache.get_as_of(realm.id, ONE, before) is value
        assert cache.get_as_of(realm.id, ONE, EventNumber(before + 1)) is value

    async def test_snapshot_before_more_changes_than_are_remembered_has_no_values(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        feed = await runtime.hub.feed(realm.id)
        before = feed.position or EventNumber(0)
        value = await cache.load_as_of(realm.id, ONE, before, reading(1))
        await commit_events(runtime, realm, touched(*map(UserId, range(10, 600))))
        assert cache.get_as_of(realm.id, ONE, before) is None
        assert cache.get_as_of(realm.id, ONE, EventNumber(before + 1)) is value

    async def test_of_readers_at_the_same_time_one_loads_the_value(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        position = (await runtime.hub.feed(realm.id)).position or EventNumber(0)
        versions = iter(range(1, 10))

        async def read() -> Value:
            version = next(versions)
            await asyncio.sleep(0)
            return Value(version)

        loads = (cache.load_as_of(realm.id, ONE, position, read) for _ in range(3))
        assert [each.version for each in await asyncio.gather(*loads)] == [1, 1, 1]

    async def test_reader_loads_the_value_if_the_one_who_began_fails(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        position = (await runtime.hub.feed(realm.id)).position or EventNumber(0)

        async def fail() -> Value:
            await asyncio.sleep(0)
            raise LookupError

        first, second = await asyncio.gather(
            cache.load_as_of(realm.id, ONE, position, fail),
            cache.load_as_of(realm.id, ONE, position, reading(2)),
            return_exceptions=True,
        )
        assert isinstance(first, LookupError)
        assert isinstance(second, Value)
        assert cache.get_as_of(realm.id, ONE, position) is second

    async def test_reader_of_another_snapshot_loads_the_value_of_its_own(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        before = (await runtime.hub.feed(realm.id)).position or EventNumber(0)
        may_end = asyncio.Event()

        async def read() -> Value:
            await may_end.wait()
            return Value(1)

        older = asyncio.create_task(cache.load_as_of(realm.id, ONE, before, read))
        await asyncio.sleep(0)
        await commit_events(runtime, realm, touched(ONE))
        after = EventNumber(before + 1)
        newer = asyncio.create_task(cache.load_as_of(realm.id, ONE, after, reading(2)))
        may_end.set()
        assert [(await each).version for each in (older, newer)] == [1, 2]
        current = cache.get_as_of(realm.id, ONE, after)
        assert current is not None
        assert current.version == 2

    async def test_changes_of_long_ago_are_forgotten(
        self,
        runtime: Runtime,
        realm: RealmRecord,
        cache: Cache,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """No snapshot is that old: what is remembered would only take memory."""
        monkeypatch.setattr("chatapi.events.feed_cache._REMEMBERED_SECONDS", 0.0)
        before = (await runtime.hub.feed(realm.id)).position or EventNumber(0)
        value = await cache.load_as_of(realm.id, ONE, before, reading(1))
        await commit_events(runtime, realm, touched(TWO))
        await commit_events(runtime, realm, touched(THREE))
        assert cache.get_as_of(realm.id, ONE, before) is None
        assert cache.get_as_of(realm.id, ONE, EventNumber(before + 1)) is value

    async def test_keys_that_are_asked_for_twice_are_read_once(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        position = (await runtime.hub.feed(realm.id)).position or EventNumber(0)
        asked: list[list[UserId]] = []

        async def read(keys: list[UserId]) -> dict[UserId, Value]:
            asked.append(keys)
            return {key: Value(1) for key in keys}

        for _ in range(2):
            found = await cache.load_some_as_of(realm.id, (ONE, TWO, ONE), position, read)
            assert found.keys() == {ONE, TWO}
        assert len(asked) == 1

    async def test_value_of_a_snapshot_before_missed_events_is_not_cached(
        self, runtime: Runtime, realm: RealmRecord, other_hub: Hub, clock: MovableClock
    ) -> None:
        cache = new_cache(other_hub)
        feed = await other_hub.feed(realm.id)
        snapshot = feed.position or EventNumber(0)
        await commit_events(runtime, realm, touched(ONE))
        clock.advance(hours=1)
        await cut_log(runtime, realm, clock)
        await other_hub.catch_up(feed)
        assert feed.position == snapshot + 1
        await cache.load_as_of(realm.id, ONE, snapshot, reading(1))
        assert cache.get_as_of(realm.id, ONE, feed.position) is None

    async def test_value_of_a_history_that_was_rolled_back_is_not_cached(
        self, realm: RealmRecord, runtime: Runtime, cache: Cache
    ) -> None:
        feed = await runtime.hub.feed(realm.id)
        ahead = EventNumber((feed.position or 0) + 5)
        await cache.load_as_of(realm.id, ONE, ahead, reading(1))
        assert cache.get_as_of(realm.id, ONE, ahead) is None


class TestReplacing:
    async def test_new_value_is_cached_until_an_event_with_its_tag(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        old = await cache.load(realm.id, ONE, reading(1))
        new = Value(1)
        cache.replace(realm.id, ONE, old, new)
        assert cache.get(realm.id, ONE) is new
        await commit_events(runtime, realm, touched(ONE))
        assert cache.get(realm.id, ONE) is None
        assert new.is_stale

    async def test_value_that_was_dropped_is_not_replaced(
        self, runtime: Runtime, realm: RealmRecord, cache: Cache
    ) -> None:
        old = await cache.load(realm.id, ONE, reading(1))
        await commit_events(runtime, realm, touched(ONE))
        cache.replace(realm.id, ONE, old, Value(1))
        assert cache.get(realm.id, ONE) is None

    async def test_value_that_was_replaced_already_is_not_replaced_again(
        self, realm: RealmRecord, cache: Cache
    ) -> None:
        old = await cache.load(realm.id, ONE, reading(1))
        first, second = Value(1), Value(1)
        for new in (first, second):
            cache.replace(realm.id, ONE, old, new)
        assert cache.get(realm.id, ONE) is first


@dataclass
class PausedLoad:
    """A load in two steps: the statement runs, then its result arrives."""

    key: UserId
    task: asyncio.Task[Value]
    gates: list[asyncio.Event]


@dataclass
class Process:
    """One process: its hub, its cache, and its loads under way."""

    hub: Hub
    cache: Cache
    snapshot_cache: Cache
    loads: list[PausedLoad] = field(default_factory=list)
    used: list[tuple[UserId, Value]] = field(default_factory=list)
    """All values that were returned by loads."""


class Interleaving:
    """Random steps of two processes over one database of versions.

    The first process commits and hears of it at once. The second hears of it when it catches up, or
    never, if the log was cut before.
    """

    def __init__(
        self, runtime: Runtime, realm: RealmRecord, other: Hub, clock: MovableClock, seed: int
    ) -> None:
        self._runtime, self._realm, self._clock = runtime, realm, clock
        self._chance = random.Random(seed)
        self._processes = [
            Process(hub, new_cache(hub), new_cache(hub)) for hub in (runtime.hub, other)
        ]
        self._now = dict.fromkeys(KEYS, 0)
        self._history: dict[int, dict[UserId, int]] = {}
        """The versions at each event number."""

    async def run(self, steps: int) -> None:
        for process in self._processes:
            feed = await process.hub.feed(self._realm.id)
            self._history[feed.position or 0] = dict(self._now)
        actions = [
            *([self._commit] * 3),
            *([self._begin_load] * 5),
            *([self._continue_load] * 10),
            *([self._catch_up] * 2),
            self._cut_log,
            self._read_snapshot,
        ]
        for _ in range(steps):
            await self._chance.choice(actions)()
            await self._check()
        for process in self._processes:
            while process.loads:
                await self._continue(process, process.loads[0])
                await self._check()
            await process.hub.catch_up(await process.hub.feed(self._realm.id))
        await self._check()

    async def _commit(self) -> None:
        some = self._chance.sample(KEYS, self._chance.randint(1, 2))
        team, members = self._chance.choice(list(TEAMS.items()))
        changed, event = self._chance.choice(
            [
                ((), Noted(text="about no value")),
                (some, touched(*some)),
                (some, touched(*some)),
                (members, TeamTouched(team=team)),
                (KEYS, LinkifiersTouched()),
                (KEYS, RealmTouched()),
            ]
        )
        for key in changed:
            self._now[key] += 1
        self._history[max(self._history) + 1] = dict(self._now)
        await commit_events(self._runtime, self._realm, event)

    async def _begin_load(self) -> None:
        process, key = self._chance.choice(self._processes), self._chance.choice(KEYS)
        if process.cache.get(self._realm.id, key) is not None:
            return
        gates = [asyncio.Event(), asyncio.Event()]
        began = asyncio.Event()

        async def read() -> Value:
            began.set()
            await gates[0].wait()
            value = Value(self._now[key])
            gates.pop(0)
            await gates[0].wait()
            return value

        task = asyncio.create_task(process.cache.load(self._realm.id, key, read))
        process.loads.append(PausedLoad(key, task, gates))
        await began.wait()

    async def _continue_load(self) -> None:
        process = self._chance.choice(self._processes)
        if process.loads:
            await self._continue(process, self._chance.choice(process.loads))

    async def _continue(self, process: Process, load: PausedLoad) -> None:
        if len(load.gates) == 2:
            load.gates[0].set()
            await until(lambda: len(load.gates) == 1)
            return
        load.gates[0].set()
        process.used.append((load.key, await load.task))
        process.loads.remove(load)

    async def _catch_up(self) -> None:
        other = self._processes[1].hub
        await other.catch_up(await other.feed(self._realm.id))

    async def _cut_log(self) -> None:
        self._clock.advance(hours=1)
        await cut_log(self._runtime, self._realm, self._clock)

    async def _read_snapshot(self) -> None:
        """A snapshot is read some events later, by caches that have seen these events."""
        process, key = self._chance.choice(self._processes), self._chance.choice(KEYS)
        as_of = EventNumber(self._chance.choice(sorted(self._history)[-3:]))
        feed = await process.hub.feed(self._realm.id)
        await process.hub.catch_up(feed)
        version = self._history[as_of][key]

        async def read() -> Value:
            if self._chance.random() < 0.3:
                await self._commit()
            return Value(version)

        found = process.snapshot_cache.get_as_of(self._realm.id, key, as_of)
        if found is None:
            found = await process.snapshot_cache.load_as_of(self._realm.id, key, as_of, read)
        assert found.version == version

    async def _check(self) -> None:
        for process in self._processes:
            position = (await process.hub.feed(self._realm.id)).position
            assert position is not None
            for key in KEYS:
                cached = process.cache.get(self._realm.id, key)
                assert cached is None or cached.version >= self._history[position][key]
                assert cached is None or not cached.is_stale
            for key, value in process.used:
                assert value.is_stale or value.version >= self._history[position][key]


@pytest.mark.parametrize("seed", range(8))
async def test_no_interleaving_leaves_an_outdated_value(
    runtime: Runtime, realm: RealmRecord, other_hub: Hub, clock: MovableClock, seed: int
) -> None:
    await Interleaving(runtime, realm, other_hub, clock, seed).run(steps=150)
