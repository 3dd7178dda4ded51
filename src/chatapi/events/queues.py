"""Event queues: cursors into the log that any process can serve, and the polls that read them."""

import asyncio
import random
from datetime import UTC, datetime, timedelta

import structlog

from chatapi.core.clock import Clock, stopwatch
from chatapi.core.errors import BadEventQueueIdError, StaleCallerError, UnavailableError
from chatapi.core.ids import EventId, QueueId, RealmId, new_queue_id
from chatapi.core.settings import Settings
from chatapi.core.timer_wheel import TimerWheel
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from chatapi.events.client import ClientProfile
from chatapi.events.collection import EventCollector
from chatapi.events.entry import Entry, Piece, heartbeat
from chatapi.events.epoch_rows import EpochRows
from chatapi.events.epochs import Epochs
from chatapi.events.event_ids import id_behind, newest_begun
from chatapi.events.feed import Feed
from chatapi.events.hub import Hub, Observer
from chatapi.events.live_queue import LiveQueue, Reader, live_queue
from chatapi.events.queue_rows import QueueRecord, QueueRows
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.events.waiter import WaitEnd, Waiter
from chatapi.events.waiting_poll import PollConnection, WaitingPoll

_MAX_POLL = timedelta(seconds=60)
_LONG_ENOUGH = 0.9  # of the idle time: the new expiry is not written at every poll
_REMEMBERED_SECONDS = 300  # longer than any poll
_HEARTBEAT_JITTER = 0.1
_LAST_NOTE_SECONDS = 0.5
_LONG_AGO = datetime.min.replace(tzinfo=UTC)

log = structlog.get_logger()


class EventQueues:
    """Creates, serves and deletes queues."""

    def __init__(self, database: Database, hub: Hub, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._hub = hub
        self._clock = clock
        self._settings = settings
        self._timers = TimerWheel(Waiter.give_up, settings.heartbeat_seconds)
        self._collector = EventCollector(database)
        self._live: dict[QueueId, LiveQueue] = {}
        self._epochs = Epochs(database, hub, clock, self._live.values)
        self._acknowledged: set[QueueId] = set()
        """Queues whose acknowledged position is not yet written to their rows."""
        self._ends_seen = 0
        """How often queues ended, or may have ended unnoticed, since this process started."""
        hub.observe(Observer(on_event=self._on_event, on_reset=self._on_reset))

    @property
    def live_queues(self) -> int:
        return len(self._live)

    async def create(
        self, reader: Reader, profile: ClientProfile, position: EventId, idle_seconds: int
    ) -> QueueId:
        """Create a queue that begins right after the given event."""
        await self._epochs.ensure_begun()
        feed = await self._hub.feed(reader.realm_id)
        now = self._clock.now()
        queue = QueueRecord(
            id=new_queue_id(),
            realm_id=reader.realm_id,
            user_id=reader.user_id,
            client=profile.model_dump(mode="json"),
            position=position,
            idle_seconds=idle_seconds,
            expires_at=now + timedelta(seconds=idle_seconds),
            epoch=self._epochs.newest,
        )
        # At once: when another process starts, the epochs of the queues in memory are advanced.
        # Before the commit: afterwards another process can end the queue, and this process would
        # not find it in memory to remove it.
        self._live[queue.id] = live = live_queue(queue, feed)
        try:
            await self._add_row(reader, queue)
            await self._epochs.write_missed(live, queue.epoch)
        except BaseException:
            self._invalidate(queue.id)
            raise
        return queue.id

    async def _add_row(self, reader: Reader, queue: QueueRecord) -> None:
        """Add a queue; if its user has as many as allowed, delete others to make room."""
        allowed = self._settings.queues_per_user - 1
        async with DatabaseSession(self._database) as db:
            if await QueueRows(db).add_if_room(queue, allowed):
                return
        # Only now: most registrations delete no queue and need not wait for the realm's lock.
        async with self._begin() as work:
            await work.db.lock_realm(reader.realm_id)
            rows = QueueRows(work.db)
            surplus = await rows.list_surplus(reader.user_id, allowed)
            work.end_queues(reader.realm_id, await rows.delete(surplus))
            await rows.add(queue)

    async def delete(self, reader: Reader, queue_id: QueueId) -> None:
        await self._get(reader, queue_id)
        if not await self._end(reader.realm_id, queue_id):
            # Another request deleted it first.
            raise BadEventQueueIdError(queue_id)

    async def _end(self, realm_id: RealmId, queue_id: QueueId) -> bool:
        """Delete a queue and notify all processes; returns False if it did not exist any more."""
        async with self._begin() as work:
            await work.db.lock_realm(realm_id)
            deleted = await QueueRows(work.db).delete([queue_id])
            work.end_queues(realm_id, deleted)
        return bool(deleted)

    def _begin(self) -> UnitOfWork:
        return UnitOfWork(DatabaseSession(self._database), self._hub, self._clock)

    async def poll(
        self,
        reader: Reader,
        queue_id: QueueId,
        last_event_id: int,
        *,
        blocking: bool,
        acknowledges: bool = True,
        connection: PollConnection | None = None,
    ) -> list[Piece]:
        """Return the encoded events after `last_event_id`; if `blocking`, wait for the first.

        A response acknowledges nothing by itself: the same call returns the same events again.
        Asking for what comes after an event acknowledges that event and all before it: they are
        dropped, and a later call with an older id continues from there. This process knows that at
        once; other processes, and those that start later, know it when `note_acknowledged` has
        written it to the database.
        A reader whose permissions may have changed receives nothing: `StaleCallerError` makes the
        request authenticate again, and the time it has waited before counts. Ephemeral events,
        which are delivered once, wait for the next poll if the client of this one is disconnected.
        With a `connection`, the response may be sent while the poll waits; it returns nothing then.
        """
        queue = await self._get(reader, queue_id)
        queue.polled_at = stopwatch()
        queue.polls += 1
        turn = queue.polls
        await self._prolong(queue)
        view = queue.view_of(reader)
        feed = await self._hub.feed(queue.realm_id)
        cursor = EventId(max(last_event_id, queue.position))
        await self._check_reach(feed, queue, cursor)
        if queue.epoch < self._epochs.newest:
            await self._require_this_history(queue, cursor)
        if acknowledges and cursor > queue.position:
            queue.position = cursor
            self._acknowledged.add(queue.id)
        waited = 0 if connection is None else connection.waited
        deadline = asyncio.get_running_loop().time() + self._heartbeat_after() - waited
        while True:
            ephemeral = queue.ephemeral_seen
            try:
                found, cursor = await self._collector.collect(feed, queue, view, cursor, turn)
            except BadEventQueueIdError:
                # A reader without access gets that error instead.
                self._require_served(reader, queue)
                raise
            self._require_served(reader, queue)
            if (
                found
                and queue.ephemeral_seen != ephemeral
                and connection is not None
                and await connection.is_disconnected()
            ):
                queue.ephemeral_seen = ephemeral
                feed.wake_queues({queue.id})
                return []
            if found or not blocking:
                return found
            if self._hub.is_closing:
                return [heartbeat(id_behind(cursor) or cursor)]
            # Not in a function of its own, which a waiting poll would keep in memory.
            waiter = (
                Waiter(view, queue.id)
                if connection is None
                else WaitingPoll(queue, reader, feed, connection, self._is_served)
            )
            feed.add_waiter(waiter)
            alarm = self._timers.add(waiter, deadline)
            try:
                end = await waiter.ended
            finally:
                feed.remove_waiter(waiter)
                alarm.discard(waiter)
            if end is WaitEnd.RESPONSE:
                return []
            if end is WaitEnd.TIMEOUT:
                return [heartbeat(id_behind(cursor) or cursor)]
            feed.measure_woken()

    def _is_served(self, reader: Reader, queue: LiveQueue) -> bool:
        """Whether database, reader and queue are still valid, before events are returned."""
        return queue.id in self._live and reader.is_current() and not self._database.is_file_lost

    def _require_served(self, reader: Reader, queue: LiveQueue) -> None:
        if self._is_served(reader, queue):
            return
        if self._database.is_file_lost:
            raise UnavailableError
        if not reader.is_current():
            raise StaleCallerError
        raise BadEventQueueIdError(queue.id)

    async def _check_reach(self, feed: Feed, queue: LiveQueue, cursor: EventId) -> None:
        """Reject a cursor beyond the log's end: its events were lost, as by a restored backup."""
        newest = newest_begun(cursor)
        if feed.position is not None and newest > feed.position:
            await self._hub.catch_up(feed)
            if newest > feed.position:
                raise BadEventQueueIdError(queue.id)

    async def begin_epoch(self) -> None:
        """Call when a process starts, before it writes; see `events/epochs.py`."""
        try:
            await self._epochs.begin()
        except Exception as error:  # noqa: BLE001 (it is tried again with the first queue)
            log.debug("epoch_not_begun", reason=type(error).__name__)

    async def _require_this_history(self, queue: LiveQueue, cursor: EventId) -> None:
        """End the queue if its client has seen events of a lost history.

        The ids of those events would hide the events of this history.
        """
        if not await self._epochs.carry_over(queue, cursor):
            await self._end(queue.realm_id, queue.id)
            raise BadEventQueueIdError(queue.id)

    async def _get(self, reader: Reader, queue_id: QueueId) -> LiveQueue:
        queue = self._live.get(queue_id)
        if queue is None or queue.expires_at < self._clock.now():
            # Another process may have created the queue, or prolonged it.
            queue = await self._load(reader.realm_id, queue_id)
        if (
            queue is None
            or queue.user_id != reader.user_id
            or queue.realm_id != reader.realm_id
            or queue.expires_at < self._clock.now()
        ):
            raise BadEventQueueIdError(queue_id)
        return queue

    async def _load(self, realm_id: RealmId, queue_id: QueueId) -> LiveQueue | None:
        # Before reading: from here on this process is notified of every queue that ends.
        feed = await self._hub.feed(realm_id)
        await self._epochs.ensure_begun()
        while True:
            ends_seen = self._ends_seen
            async with DatabaseSession(self._database) as db:
                record = await QueueRows(db).find(queue_id)
            if ends_seen == self._ends_seen:
                break
            # A queue ended meanwhile. If it was this one, it was not yet in memory to be removed.
        known = self._live.pop(queue_id, None)
        if record is None or record.realm_id != realm_id:
            return None
        queue = live_queue(record, feed)
        if known is not None:
            queue.ephemeral_seen = known.ephemeral_seen
            queue.position = max(queue.position, known.position)
        self._live[queue_id] = queue
        return queue

    async def _prolong(self, queue: LiveQueue) -> None:
        """Write to the database, from time to time, that the queue is in use."""
        now = self._clock.now()
        if queue.expires_at - now > max(queue.idle * _LONG_ENOUGH, _MAX_POLL):
            return
        until = now + queue.idle + _MAX_POLL
        async with DatabaseSession(self._database) as db, db.transaction():
            is_alive = await QueueRows(db).prolong(queue.id, until)
        if not is_alive:
            self._invalidate(queue.id)
            raise BadEventQueueIdError(queue.id)
        queue.expires_at = until

    async def expire(self) -> None:
        """Delete the queues that are no longer polled; any process may run it, repeatedly."""
        await self.note_acknowledged()
        now = self._clock.now()
        async with DatabaseSession(self._database) as db, db.transaction():
            await QueueRows(db).delete_expired(now)
            await EpochRows(db).delete_unused()
        self.evict_queues_not_polled_for(_REMEMBERED_SECONDS)

    async def close(self) -> None:
        """Write the queues' positions, for the process that serves them next.

        A failure, as when the database does not respond in time, is only logged.
        """
        try:
            async with asyncio.timeout(_LAST_NOTE_SECONDS):
                await self.note_acknowledged()
                await self._epochs.close()
        except Exception as error:  # noqa: BLE001 (the process ends, whatever it is)
            log.warning("positions_not_noted", reason=type(error).__name__)

    async def note_acknowledged(self) -> None:
        """Write the acknowledged positions of queues, for other processes and after a restart.

        It is done from time to time for all queues: a poll does not write its position.
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
            async with DatabaseSession(self._database) as db, db.transaction():
                await QueueRows(db).advance(positions)
        except BaseException:
            self._acknowledged |= noted
            raise

    def evict_queues_not_polled_for(self, seconds: float) -> None:
        """Evict queues from memory; if the client of one comes back, it costs one read."""
        longest_ago = stopwatch() - seconds
        for queue in [queue for queue in self._live.values() if queue.polled_at < longest_ago]:
            if queue.id not in self._acknowledged:
                self._invalidate(queue.id)

    def _on_event(self, entry: Entry) -> None:
        if ended := entry.event.ended_queues():
            self._ends_seen += 1
            for queue_id in ended:
                self._invalidate(queue_id)

    def _on_reset(self, realm_id: RealmId) -> None:
        """Have the rows of the realm's queues read again: some may have ended unnoticed."""
        self._ends_seen += 1
        for queue in self._live.values():
            if queue.realm_id == realm_id:
                queue.expires_at = _LONG_AGO

    def _invalidate(self, queue_id: QueueId) -> None:
        self._live.pop(queue_id, None)

    def _heartbeat_after(self) -> float:
        """Return the heartbeat interval with jitter, so that clients do not poll in step."""
        return self._settings.heartbeat_seconds * (1 - _HEARTBEAT_JITTER * random.random())  # noqa: S311 (not a secret)
