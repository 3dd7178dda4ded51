"""Event queues: cursors into the log that any process can serve, and the polls that read them."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import structlog

from chatapi.core.clock import Clock, stopwatch
from chatapi.core.errors import AdmissionOutdatedError, BadEventQueueIdError
from chatapi.core.ids import EventNumber, QueueId, RealmId, UserId, new_queue_id
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from chatapi.events.alarms import Alarms
from chatapi.events.client import ClientProfile, ClientView
from chatapi.events.entry import Entry, encode_heartbeat
from chatapi.events.feed import Feed, Waiter
from chatapi.events.hub import Hub
from chatapi.events.log import EventLog
from chatapi.events.membership import EarlierStanding, Membership
from chatapi.events.queue_rows import QueueRecord, QueueRows
from chatapi.events.unit_of_work import UnitOfWork

_LONGEST_POLL = timedelta(seconds=60)
_LONG_ENOUGH = 0.9  # of the idle time: no need to write that down at every poll
_REMEMBERED_SECONDS = 300  # longer than any poll
_EVENTS_PER_ANSWER = 1_000
_LOG_PAGE = 500
_HEARTBEAT_JITTER = 0.1
_LAST_NOTE_SECONDS = 0.5

log = structlog.get_logger()


@dataclass(slots=True)
class LiveQueue:
    """A queue this process has served; what is here can be read again from its row."""

    id: QueueId
    realm_id: RealmId
    user_id: UserId
    profile: ClientProfile
    position: EventNumber
    """The last event that its client has acknowledged, as far as this process knows."""
    idle: timedelta
    expires_at: datetime
    fleeting_seen: int
    polls: int = 0
    """How many polls there were; all but the last one may be of connections that broke."""
    polled_at: float = field(default_factory=stopwatch)
    _last_view: "tuple[Reader, ClientView] | None" = None

    def view_of(self, reader: "Reader") -> ClientView:
        """How the reader sees through the queue; worked out again only for another reader."""
        if self._last_view is None or self._last_view[0] is not reader:
            view = ClientView(
                user_id=self.user_id,
                role=reader.role,
                profile=self.profile,
                sees_everybody=reader.sees_everybody,
                hears_typing=reader.hears_typing,
                membership=reader.membership,
                queue_id=self.id,
                acquaintances=reader.acquaintances,
            )
            if reader.earlier:
                view = view.having_been(reader.earlier)
            self._last_view = (reader, view)
        return self._last_view[1]


@dataclass(frozen=True, slots=True)
class Reader:
    """Who polls, as authentication found it."""

    realm_id: RealmId
    user_id: UserId
    role: Role
    earlier: tuple[EarlierStanding, ...]
    """The roles they had as far back as the log may reach, the oldest first."""
    sees_everybody: bool
    acquaintances: frozenset[UserId]
    hears_typing: bool
    membership: Membership
    is_current: Callable[[], bool]
    """False as soon as the log has told that something about the reader changed."""


class EventQueues:
    """Makes, serves and ends queues."""

    def __init__(self, database: Database, hub: Hub, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._hub = hub
        self._clock = clock
        self._settings = settings
        self._alarms = Alarms()
        self._live: dict[QueueId, LiveQueue] = {}
        self._acknowledged: set[QueueId] = set()
        """Queues whose rows do not say yet how far they have come."""
        hub.on_queue_closed(self._forget)

    async def create(
        self, reader: Reader, profile: ClientProfile, position: EventNumber, idle_seconds: int
    ) -> QueueId:
        """A queue that begins right after the given event."""
        now = self._clock.now()
        queue = QueueRecord(
            id=new_queue_id(),
            realm_id=reader.realm_id,
            user_id=reader.user_id,
            client=profile.model_dump(mode="json"),
            position=position,
            idle_seconds=idle_seconds,
            expires_at=now + timedelta(seconds=idle_seconds),
        )
        feed = await self._hub.feed(reader.realm_id)
        async with DatabaseSession(self._database) as db:
            work = UnitOfWork(db, self._hub, self._clock)
            rows = QueueRows(db)
            await db.write()
            allowed = self._settings.queues_per_user - 1
            if surplus := await rows.list_surplus(reader.user_id, allowed):
                await rows.delete(surplus)
                for queue_id in surplus:
                    work.close_queue(reader.realm_id, queue_id)
            await rows.add(queue)
            await work.commit()
        self._live[queue.id] = _live(queue, feed)
        return queue.id

    async def delete(self, reader: Reader, queue_id: QueueId) -> None:
        await self._get(reader, queue_id)
        async with DatabaseSession(self._database) as db:
            work = UnitOfWork(db, self._hub, self._clock)
            await QueueRows(db).delete([queue_id])
            work.close_queue(reader.realm_id, queue_id)
            await work.commit()

    async def poll(
        self,
        reader: Reader,
        queue_id: QueueId,
        last_event_id: int,
        *,
        blocking: bool,
        waited: float = 0.0,
        has_left: Callable[[], Awaitable[bool]] | None = None,
        acknowledges: bool = True,
    ) -> list[bytes]:
        """The encoded events after `last_event_id`; waits for the first unless told not to.

        An answer acknowledges nothing by itself: the same call gives the same events again. Asking
        for what comes after an event acknowledges that event and all before it: they are gone, and
        a later call with an older id goes on from there. This process knows that at once; others
        do, and a process that starts does, when `note_acknowledged` has written it down.
        Nothing is told to a reader whose rights may have changed: they are to be admitted anew,
        and the time they have `waited` before counts. What can be told only once waits for the
        next poll if the client of this one `has_left`.
        """
        queue = await self._get(reader, queue_id)
        queue.polled_at = stopwatch()
        queue.polls += 1
        turn = queue.polls
        await self._prolong(queue)
        view = queue.view_of(reader)
        feed = await self._hub.feed(queue.realm_id)
        cursor = EventNumber(max(last_event_id, queue.position))
        await self._check_reach(feed, queue, cursor)
        if acknowledges and cursor > queue.position:
            queue.position = cursor
            self._acknowledged.add(queue.id)
        deadline = asyncio.get_running_loop().time() + self._heartbeat_after() - waited
        while True:
            told_once = queue.fleeting_seen
            try:
                found, cursor = await self._collect(feed, queue, view, cursor, turn)
            except BadEventQueueIdError:
                # Whoever may not read at all is told that instead.
                if not reader.is_current():
                    raise AdmissionOutdatedError from None
                raise
            if not reader.is_current():
                raise AdmissionOutdatedError
            if queue.id not in self._live:
                raise BadEventQueueIdError(queue_id)
            if found and queue.fleeting_seen != told_once and has_left and await has_left():
                queue.fleeting_seen = told_once
                feed.wake_queue(queue.id)
                return []
            if found or not blocking:
                return found
            if self._hub.is_closing or not await self._wait(feed, queue, view, deadline):
                return [encode_heartbeat(cursor)]

    async def _wait(self, feed: Feed, queue: LiveQueue, view: ClientView, deadline: float) -> bool:
        """Sleep until something concerns this reader; False: nothing did in time."""
        waiter = Waiter(view, queue.id)
        feed.add_waiter(waiter)
        alarm = self._alarms.add(waiter, deadline)
        try:
            return await waiter.woken
        finally:
            feed.remove_waiter(waiter)
            alarm.discard(waiter)

    async def _collect(
        self, feed: Feed, queue: LiveQueue, view: ClientView, cursor: EventNumber, turn: int
    ) -> tuple[list[bytes], EventNumber]:
        """What there is for the reader after the cursor, and how far that looked.

        When it returns nothing, nothing was awaited since the last look: no event can slip
        in between this and the wait that follows. It never looks beyond what the feed has seen:
        caches know of everything up to there.
        """
        while not feed.reaches_back_to(cursor):
            entries = [
                entry
                for entry in await self._read_log(queue, cursor)
                if entry.number <= (feed.position or 0)
            ]
            wanted, cursor = _first_for(view, entries, cursor)
            if wanted:
                return await self._encode(wanted, view), cursor
        wanted, reached = _first_for(view, feed.since(cursor), cursor)
        # Told once only: not to a poll whose client has given it up and sent another one.
        if reached == feed.position and turn == queue.polls:
            fleeting = self._take_fleeting(feed, queue, cursor)
            wanted += [entry for entry in fleeting if entry.is_for(view)]
            # Stable: after the logged event whose number it carries.
            wanted.sort(key=lambda entry: entry.number)
        return await self._encode(wanted, view), reached

    async def _encode(self, entries: list[Entry], view: ClientView) -> list[bytes]:
        """Entries as the reader sees them; waits for nothing if there is nothing."""
        if not all(entry.is_complete for entry in entries):
            async with DatabaseSession(self._database) as db:
                for entry in entries:
                    await entry.complete(db)
        return [piece for entry in entries for piece in entry.encoded_for(view)]

    def _take_fleeting(self, feed: Feed, queue: LiveQueue, cursor: EventNumber) -> list[Entry]:
        """What came since the queue was last asked; no id is below one the client already has."""
        fleeting = feed.fleeting_since(queue.fleeting_seen)
        queue.fleeting_seen = feed.fleeting_seen
        return [
            entry if entry.number >= cursor else replace(entry, number=cursor) for entry in fleeting
        ]

    async def _read_log(self, queue: LiveQueue, cursor: EventNumber) -> list[Entry]:
        async with DatabaseSession(self._database) as db:
            await db.snapshot()
            event_log = EventLog(db)
            reading = await event_log.read_clock(queue.realm_id)
            if reading.log_floor > cursor:
                raise BadEventQueueIdError(queue.id)
            return await event_log.read(queue.realm_id, cursor, _LOG_PAGE)

    async def _check_reach(self, feed: Feed, queue: LiveQueue, cursor: EventNumber) -> None:
        """A cursor from the future belongs to a past that was undone, as by a restored backup."""
        if feed.position is not None and cursor > feed.position:
            await self._hub.catch_up(feed)
            if cursor > feed.position:
                raise BadEventQueueIdError(queue.id)

    async def _get(self, reader: Reader, queue_id: QueueId) -> LiveQueue:
        queue = self._live.get(queue_id)
        if queue is None or queue.expires_at < self._clock.now():
            # Another process may have made the queue, or kept it alive.
            queue = await self._load(queue_id)
        if (
            queue is None
            or queue.user_id != reader.user_id
            or queue.realm_id != reader.realm_id
            or queue.expires_at < self._clock.now()
        ):
            raise BadEventQueueIdError(queue_id)
        return queue

    async def _load(self, queue_id: QueueId) -> LiveQueue | None:
        async with DatabaseSession(self._database) as db:
            record = await QueueRows(db).find(queue_id)
        known = self._live.pop(queue_id, None)
        if record is None:
            return None
        queue = _live(record, await self._hub.feed(record.realm_id))
        if known is not None:
            queue.fleeting_seen = known.fleeting_seen
            queue.position = max(queue.position, known.position)
        self._live[queue_id] = queue
        return queue

    async def _prolong(self, queue: LiveQueue) -> None:
        """Once in a while, note in the database that the queue is in use."""
        now = self._clock.now()
        if queue.expires_at - now > max(queue.idle * _LONG_ENOUGH, _LONGEST_POLL):
            return
        until = now + queue.idle + _LONGEST_POLL
        async with DatabaseSession(self._database) as db:
            is_alive = await QueueRows(db).prolong(queue.id, until)
            await db.commit()
        if not is_alive:
            self._forget(queue.id)
            raise BadEventQueueIdError(queue.id)
        queue.expires_at = until

    async def expire(self) -> None:
        """End the queues nobody reads; any process may do it, any number of times."""
        await self.note_acknowledged()
        now = self._clock.now()
        async with DatabaseSession(self._database) as db:
            await QueueRows(db).delete_expired(now)
            await db.commit()
        self.forget_queues_not_polled_for(_REMEMBERED_SECONDS)

    async def close(self) -> None:
        """Whoever serves the queues next goes on from where they are, if the database lets us."""
        try:
            async with asyncio.timeout(_LAST_NOTE_SECONDS):
                await self.note_acknowledged()
        except Exception as error:  # noqa: BLE001 (the process ends, whatever it is)
            log.warning("positions_not_noted", reason=type(error).__name__)

    async def note_acknowledged(self) -> None:
        """Write down how far queues have come, for other processes and for after a restart.

        Once in a while for all of them: a poll writes nothing.
        """
        noted, self._acknowledged = self._acknowledged, set()
        positions = {
            queue_id: queue.position
            for queue_id in noted
            if (queue := self._live.get(queue_id)) is not None
        }
        if not positions:
            return
        try:
            async with DatabaseSession(self._database) as db:
                await QueueRows(db).advance(positions)
                await db.commit()
        except BaseException:
            self._acknowledged |= noted
            raise

    def forget_queues_not_polled_for(self, seconds: float) -> None:
        """A client that went away costs a row, not memory; coming back costs one read."""
        longest_ago = stopwatch() - seconds
        for queue in [queue for queue in self._live.values() if queue.polled_at < longest_ago]:
            if queue.id not in self._acknowledged:
                self._forget(queue.id)

    def _forget(self, queue_id: QueueId) -> None:
        self._live.pop(queue_id, None)

    def _heartbeat_after(self) -> float:
        """Spread out, so that clients that came together do not stay together."""
        return self._settings.heartbeat_seconds * (1 - _HEARTBEAT_JITTER * random.random())  # noqa: S311 (not a secret)


def _first_for(
    view: ClientView, entries: list[Entry], reached: EventNumber
) -> tuple[list[Entry], EventNumber]:
    """The entries for a reader, as many as go into one answer, and how far that looked.

    A queue ends where the log says that the reader's clients start anew. Its row is deleted then,
    unless it was written while that happened: the log alone knows of all queues from before.
    """
    wanted: list[Entry] = []
    room = _EVENTS_PER_ANSWER
    for entry in entries:
        if entry.event.is_internal:
            if view.user_id in entry.event.restarted_users():
                raise BadEventQueueIdError(view.queue_id)
        elif entry.is_for(view):
            room -= entry.event.count_for(view)
            if wanted and room < 0:
                break
            wanted.append(entry)
        reached = entry.number
    return wanted, reached


def _live(record: QueueRecord, feed: Feed) -> LiveQueue:
    return LiveQueue(
        id=record.id,
        realm_id=record.realm_id,
        user_id=record.user_id,
        profile=ClientProfile.shared(record.client),
        position=record.position,
        idle=timedelta(seconds=record.idle_seconds),
        expires_at=record.expires_at,
        fleeting_seen=feed.fleeting_seen,
    )
