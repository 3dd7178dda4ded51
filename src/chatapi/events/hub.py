"""The hub of a process: keeps the feeds of the realms it serves and wakes the waiting polls."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterable

import structlog
from msgspec import Struct

from chatapi.core.ids import EventNumber, RealmId
from chatapi.core.measurements import Measurements
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.deployment import find_deployment
from chatapi.db.session import DatabaseSession
from chatapi.events.bus import Batch, Bus
from chatapi.events.cache_tags import CacheTag
from chatapi.events.entry import Entry
from chatapi.events.feed import Feed
from chatapi.events.log import EventLog

log = structlog.get_logger()

CLOCK_CHECK_SECONDS = 0.5
_PATIENCE_FOR_ORDER_SECONDS = 0.02
_LAST_CHECK_SECONDS = 0.5
_LOG_PAGE = 500


class Observer(Struct, frozen=True):
    """The callbacks of an object that has to know of all events; caches use `TagObserver`."""

    on_event: Callable[[Entry], None]
    on_reset: Callable[[RealmId], None]
    """Events may have been missed: invalidate everything about the realm."""


class TagObserver(Struct, frozen=True):
    """The callbacks of a cache that events with certain tags invalidate."""

    tags: Iterable[type[CacheTag]]
    on_tag: Callable[[Entry, CacheTag], None]
    """Called for each tag of these types."""
    on_reset: Callable[[RealmId], None]
    """Events may have been missed: invalidate everything about the realm."""


class Hub:
    """Takes batches from this process and from the bus, and reads missing events from the log."""

    def __init__(self, database: Database, bus: Bus, measurements: Measurements) -> None:
        self.is_closing = False
        self.measurements = measurements
        self._database = database
        self._bus = bus
        self._feeds: dict[RealmId, Feed] = {}
        self._on_event: list[Callable[[Entry], None]] = []
        self._on_tag: defaultdict[type[CacheTag], list[Callable[[Entry, CacheTag], None]]] = (
            defaultdict(list)
        )
        self._on_reset: list[Callable[[RealmId], None]] = []
        self._on_clock_check: list[Callable[[], Awaitable[None]]] = []
        self._on_clock_rollback: list[Callable[[], Awaitable[None]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    def observe(self, observer: Observer) -> None:
        self._on_event.append(observer.on_event)
        self._on_reset.append(observer.on_reset)

    def observe_tags(self, observer: TagObserver) -> None:
        for tag in observer.tags:
            self._on_tag[tag].append(observer.on_tag)
        self._on_reset.append(observer.on_reset)

    def on_clock_check(self, check: Callable[[], Awaitable[None]]) -> None:
        """Run a check whenever the clocks are read, twice a second."""
        self._on_clock_check.append(check)

    def on_clock_rollback(self, react: Callable[[], Awaitable[None]]) -> None:
        """Call back when a clock went back, as when a backup is restored under the process."""
        self._on_clock_rollback.append(react)

    async def start(self) -> None:
        await self._bus.start(
            self.receive, lambda: find_deployment(self._database), self._feeds.__contains__
        )
        self._spawn(self._check_clocks())

    def wake_all_polls(self) -> None:
        """Respond to all polls now, because the process is about to end."""
        self.is_closing = True
        self._wake_all_polls()

    def _wake_all_polls(self) -> None:
        for feed in self._feeds.values():
            feed.wake_all()

    async def close(self) -> None:
        """End the tasks. They may finish their current step if the database responds in time."""
        self.wake_all_polls()
        self._closing.set()
        if self._tasks:
            _done, stuck = await asyncio.wait(self._tasks, timeout=_LAST_CHECK_SECONDS)
            for task in stuck:
                task.cancel()
            await asyncio.gather(*stuck, return_exceptions=True)
        await self._bus.close()

    @property
    def waiting_polls(self) -> int:
        return sum(feed.waiting_polls for feed in self._feeds.values())

    async def is_bus_healthy(self) -> bool:
        return await self._bus.is_healthy()

    def publish(self, batch: Batch) -> None:
        """Deliver the events of a transaction that this process has committed."""
        self._receive(batch, is_own=True)
        self._bus.publish(batch)

    def receive(self, batch: Batch) -> None:
        """Take a batch; earlier events are in the feed already or are fetched from the log."""
        self._receive(batch, is_own=False)

    def _receive(self, batch: Batch, *, is_own: bool) -> None:
        feed = self._feeds.get(batch.realm_id)
        if feed is None:
            return
        self._take(feed, list(batch.logged), is_own=is_own)
        for entry in batch.ephemeral:
            feed.take_ephemeral(entry)
        if feed.is_behind and feed.position is not None:
            self._spawn(self._schedule_catch_up(feed))

    async def feed(self, realm_id: RealmId) -> Feed:
        """Return the realm's feed, at least up to the clock at the time of the first call."""
        feed = self._feeds.get(realm_id)
        if feed is None:
            feed = self._feeds[realm_id] = Feed(realm_id, self.measurements)
        if feed.position is None:
            await self._open(feed)
        return feed

    def start_feed(self, realm_id: RealmId) -> None:
        """Start the feed of a realm in the transaction that creates it.

        Its clock cannot be read by another session before the commit, and there are no events yet.
        """
        feed = self._feeds.setdefault(realm_id, Feed(realm_id, self.measurements))
        if feed.position is None:
            self._announce(feed, feed.start_at(EventNumber(0)))

    async def catch_up(self, feed: Feed) -> None:
        """Read the events of the log after the feed's position."""
        async with feed.healing, DatabaseSession(self._database) as db:
            await self.catch_up_within(db, feed)

    async def catch_up_to(
        self, db: DatabaseSession, realm_id: RealmId, number: EventNumber
    ) -> None:
        """Read the log up to an event, so that caches know of it."""
        feed = await self.feed(realm_id)
        if _position_of(feed) < number:
            await self.catch_up_within(db, feed)

    async def catch_up_within(self, db: DatabaseSession, feed: Feed) -> None:
        """Do what `catch_up` does in an open session; its holder must not wait for a second one."""
        event_log = EventLog(db)
        while True:
            reading = await event_log.read_clock(feed.realm_id)
            position = _position_of(feed)
            if reading.last_event <= position:
                return
            if reading.log_floor > position:
                self._reset_feed(feed, reading.last_event)
                return
            self._take(feed, await event_log.read(feed.realm_id, position, _LOG_PAGE))

    async def _open(self, feed: Feed) -> None:
        async with feed.healing, DatabaseSession(self._database) as db:
            if feed.position is None:
                reading = await EventLog(db).read_clock(feed.realm_id)
                self._announce(feed, feed.start_at(reading.last_event))

    def _take(self, feed: Feed, entries: list[Entry], *, is_own: bool = False) -> None:
        taken = feed.take(entries)
        if not is_own:
            feed.foreign_entries += len(taken)
        self._announce(feed, taken)

    def _announce(self, feed: Feed, entries: list[Entry]) -> None:
        for entry in entries:
            for on_event in self._on_event:
                on_event(entry)
            for tag in entry.cache_tags:
                for on_tag in self._on_tag.get(type(tag), ()):
                    on_tag(entry, tag)
            feed.notify(entry)

    def _reset_feed(self, feed: Feed, position: EventNumber) -> None:
        log.warning("event_log_cut", realm_id=feed.realm_id, position=feed.position)
        for on_reset in self._on_reset:
            on_reset(feed.realm_id)
        self._announce(feed, feed.start_at(position))
        feed.wake_all()

    def _forget_feed(self, realm_id: RealmId) -> None:
        """Stop following a realm that was deleted: invalidate its values and wake its polls."""
        feed = self._feeds.pop(realm_id)
        for on_reset in self._on_reset:
            on_reset(realm_id)
        feed.wake_all()

    async def _schedule_catch_up(self, feed: Feed) -> None:
        # Missing events of this same process usually arrive within a moment.
        if not await self._closes_within(_PATIENCE_FOR_ORDER_SECONDS) and feed.is_behind:
            await self._catch_up_or_log(feed)

    async def _check_clocks(self) -> None:
        """Find events that no bus has delivered: of other processes, of commands, or lost ones."""
        while not await self._closes_within(CLOCK_CHECK_SECONDS):
            try:
                self._database.require_file()
                for check in self._on_clock_check:
                    await check()
                await self._check_feeds()
            except Exception as error:
                if not is_unavailable(error):
                    log.exception("clock_check_failed")
                if self._database.is_file_lost:
                    self._wake_all_polls()

    async def _check_feeds(self) -> None:
        # The positions from before the clocks are read: a clock is never lower than these.
        seen = {
            feed.realm_id: feed.position
            for feed in self._feeds.values()
            if feed.position is not None
        }
        if not seen:
            return
        async with DatabaseSession(self._database) as db:
            positions = await EventLog(db).read_positions(seen)
        for realm_id, position in list(seen.items()):
            # A realm whose creation is not committed has no clock yet, and no events.
            if realm_id not in positions and position > 0:
                del seen[realm_id]
                self._forget_feed(realm_id)
        if any(positions.get(realm_id, 0) < position for realm_id, position in seen.items()):
            await self._reset_all_feeds()
            return
        for realm_id in seen:
            feed = self._feeds[realm_id]
            if positions.get(realm_id, 0) > _position_of(feed):
                await self._catch_up_or_log(feed)

    async def _reset_all_feeds(self) -> None:
        """Reset all feeds: what they hold belongs to a history that this database does not have."""
        for react in self._on_clock_rollback:
            await react()
        for feed in self._feeds.values():
            async with feed.healing, DatabaseSession(self._database) as db:
                reading = await EventLog(db).read_clock(feed.realm_id)
                self._reset_feed(feed, reading.last_event)

    async def _catch_up_or_log(self, feed: Feed) -> None:
        try:
            await self.catch_up(feed)
        except Exception:
            # The next clock check tries again.
            log.exception("catch_up_failed", realm_id=feed.realm_id)

    async def _closes_within(self, seconds: float) -> bool:
        """Sleep; returns early, with True, when the process ends."""
        try:
            async with asyncio.timeout(seconds):
                return await self._closing.wait()
        except TimeoutError:
            return False

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _position_of(feed: Feed) -> EventNumber:
    if feed.position is None:
        raise RuntimeError("the feed was not opened")
    return feed.position
