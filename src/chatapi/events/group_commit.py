"""Group commit: the writes that wait at the same time are committed in one transaction."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from msgspec import Struct

from chatapi.core.clock import Clock, stopwatch
from chatapi.core.ids import RealmId
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from chatapi.db.transaction import ClockSnapshot
from chatapi.events.feed import Feed
from chatapi.events.hub import Hub
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.events.write_forwarding import WriteForwarder

_MAX_AT_ONCE = 100
_TURNS_ALONE = 2
"""Iterations of the event loop: enough for a request that was already read to be submitted."""
_TURNS_TOGETHER = 4
"""Enough for the responses of the last batch to be sent, and for the next requests of the clients
that wait for them to be read and submitted. Otherwise two halves of the clients take turns, and
batches are half as large."""

_MAX_GATHERING_SECONDS = 0.02
"""How long the leader of a realm waits for the writes that other processes will forward."""

_Kind = tuple[RealmId, str]

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

Write = Callable[[UnitOfWork, Sequence[ItemT]], Awaitable[Sequence[ResultT | Exception]]]
"""Writes several items in one transaction. The realm is locked and its feed is up to date, unless
the items were submitted with `locks_realm=False`. An exception in the place of a result rejects
only that item; nothing of a rejected item may be written."""


@dataclass(eq=False)
class _PendingItem(Generic[ItemT]):
    item: ItemT
    done: asyncio.Future[Any]


class _BatchJob(Struct, frozen=True):
    """How the items of one kind are written."""

    realm_id: RealmId
    write: Write[Any, Any]
    locks_realm: bool
    sends_messages: bool

    async def begin(self, db: DatabaseSession, message_ids: int) -> None:
        if self.locks_realm:
            message_ids = message_ids if self.sends_messages else 0
            await db.lock_realm(self.realm_id, message_ids=message_ids)
        else:
            await db.write()


@dataclass(eq=False)
class _BatchQueue:
    """The items of one kind that wait to be written, and the outcome of the last batch."""

    waiting: deque[_PendingItem[Any]] = field(default_factory=deque)
    is_running: bool = False
    last_size: int = 1
    """The size of the last batch; the next one will probably be as large."""
    is_alone: bool = False
    """Whether only this process had written when the realm was last locked."""
    left: ClockSnapshot | None = None
    """The realm's clock after the last transaction."""
    writers: int = 1
    """How many had written or waited when the last batch was committed."""
    last_seconds: float = 0.0
    """How long the last batch took."""
    gathered: asyncio.Future[None] | None = None
    """Done as soon as that many wait again."""

    def add(self, item: _PendingItem[Any]) -> None:
        self.waiting.append(item)
        if self.gathered is not None and len(self.waiting) >= self.writers:
            self._end_gathering()

    async def gather(self) -> None:
        """Wait until those who wrote or waited last time wait again, but only for a moment."""
        if len(self.waiting) >= self.writers:
            return
        loop = asyncio.get_running_loop()
        self.gathered = loop.create_future()
        seconds = min(self.last_seconds, _MAX_GATHERING_SECONDS)
        timer = loop.call_later(seconds, self._end_gathering)
        try:
            await self.gathered
        finally:
            timer.cancel()
            self.gathered = None

    def _end_gathering(self) -> None:
        if self.gathered is not None and not self.gathered.done():
            self.gathered.set_result(None)

    def pop(self, most: int) -> list[_PendingItem[Any]]:
        return [self.waiting.popleft() for _ in range(min(len(self.waiting), most))]

    def message_ids(self) -> int:
        """How many ids to take: those of this batch, and twice that if the next may use them.

        The ids that are left serve an optimistic write, which is tried only if `is_alone`.
        """
        expected = min(max(len(self.waiting), self.last_size), _MAX_AT_ONCE)
        return 2 * expected if self.is_alone else expected


class GroupCommitter:
    """Puts the items that are submitted while a transaction is running into the next one.

    A single writer does not wait; under load the cost of locks, round trips and disk writes is
    shared by all waiting writers.
    """

    def __init__(
        self,
        database: Database,
        hub: Hub,
        clock: Clock,
        forwarder: WriteForwarder | None = None,
    ) -> None:
        """The forwarder is told when another process turns out to write in a realm."""
        self._database = database
        self._hub = hub
        self._clock = clock
        self._forwarder = forwarder
        self._queues: defaultdict[_Kind, _BatchQueue] = defaultdict(_BatchQueue)
        self._tasks: set[asyncio.Task[None]] = set()

    async def submit(
        self,
        realm_id: RealmId,
        name: str,
        write: Write[ItemT, ResultT],
        item: ItemT,
        *,
        locks_realm: bool = True,
        sends_messages: bool = False,
    ) -> ResultT:
        """Write an item and return its result once it is committed.

        Items of one realm and name are written together, by the `write` function of any of them.
        Pass `locks_realm=False` for writes that emit no logged events and must not delay those
        that do. With `sends_messages` a message id is taken for each item.
        """
        queue = self._queues[realm_id, name]
        done: asyncio.Future[ResultT] = asyncio.get_running_loop().create_future()
        queue.add(_PendingItem(item, done))
        if not queue.is_running:
            queue.is_running = True
            job = _BatchJob(realm_id, write, locks_realm, sends_messages)
            task = asyncio.create_task(self._drain(queue, job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        # A cancelled caller cancels only its future, not a write that may already be under way.
        return await done

    async def close(self) -> None:
        """Wait for the batches that are being written."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _drain(self, queue: _BatchQueue, job: _BatchJob) -> None:
        try:
            while queue.waiting:
                await self._write_batch(queue, job)
        finally:
            queue.is_running = False

    async def _write_batch(self, queue: _BatchQueue, job: _BatchJob) -> None:
        batch: list[_PendingItem[Any]] = []
        is_optimistic = False
        try:
            # Before the lock: a writer that holds it must not wait for a second connection.
            feed = await self._hub.feed(job.realm_id)
            if self._forwarder is not None and self._forwarder.is_leader(job.realm_id):
                await queue.gather()
            began = stopwatch()
            async with DatabaseSession(self._database, is_batch=True) as db:
                is_optimistic = await _begin_optimistic(db, queue, feed)
                if not is_optimistic:
                    await self._lock(db, queue, job, feed)
                # Only now: the batch includes the items that arrived while waiting for the lock.
                batch += queue.pop(_MAX_AT_ONCE)
                queue.last_size = len(batch)
                await self._write(db, job, batch)
                queue.left = db.left
                queue.last_seconds = stopwatch() - began
                queue.writers = min(len(batch) + len(queue.waiting), _MAX_AT_ONCE)
        except Exception as error:  # noqa: BLE001 (every waiting caller gets it)
            if is_optimistic and not is_unavailable(error):
                # Whatever the reason, retry under the lock: a real error will occur again.
                queue.is_alone = False
                queue.waiting.extendleft(reversed(batch))
            elif len(batch) > 1 and not is_unavailable(error):
                await self._write_one_by_one(job, batch)
            else:
                _fail(batch or queue.pop(len(queue.waiting)), error)

    async def _lock(
        self, db: DatabaseSession, queue: _BatchQueue, job: _BatchJob, feed: Feed
    ) -> None:
        foreign = feed.foreign_entries
        await job.begin(db, queue.message_ids())
        if not job.locks_realm:
            return
        # What this process wrote while the batch waited for the lock is in the feed by now.
        is_up_to_date = await db.lock_realm(job.realm_id) == feed.position
        queue.is_alone = is_up_to_date and feed.foreign_entries == foreign
        if not queue.is_alone and self._forwarder is not None:
            self._forwarder.note_competition(job.realm_id)

    async def _write_one_by_one(self, job: _BatchJob, batch: list[_PendingItem[Any]]) -> None:
        """Write each item in its own transaction, so that one bad item fails no other."""
        for place, each in enumerate(batch):
            try:
                async with DatabaseSession(self._database, is_batch=True) as db:
                    await job.begin(db, 1)
                    await self._write(db, job, [each])
            except Exception as error:  # noqa: BLE001 (the waiting caller gets it)
                if is_unavailable(error):
                    _fail(batch[place:], error)
                    return
                _fail([each], error)

    async def _write(
        self, db: DatabaseSession, job: _BatchJob, batch: Sequence[_PendingItem[Any]]
    ) -> None:
        if job.locks_realm:
            await self._hub.catch_up_to(db, job.realm_id, await db.lock_realm(job.realm_id))
        work = UnitOfWork(db, self._hub, self._clock)
        results = await job.write(work, [each.item for each in batch])
        if len(results) != len(batch):
            raise RuntimeError("a writer has to give one result for each item")
        # Before the events are published: thousands of polls may be answered when they are.
        work.after_commit(lambda: _resolve(batch, results))
        await work.commit()
        self._hub.measurements.batch_committed(len(batch))


async def _begin_optimistic(db: DatabaseSession, queue: _BatchQueue, feed: Feed) -> bool:
    """Begin an optimistic write from the last transaction's clock, if the clock has not moved.

    Returns False if the realm has to be locked. Where other processes write as well, an
    optimistic write would often find the conflict only at its end.
    """
    left, queue.left = queue.left, None
    if left is None or not queue.is_alone or feed.position != left.last_event:
        return False
    if len(left.message_ids) < len(queue.waiting):
        return False
    await db.begin_optimistic(left)
    for _ in range(_TURNS_TOGETHER if queue.last_size > 1 else _TURNS_ALONE):
        # A writer that waits for a lock collects more items meanwhile. An optimistic write does
        # not wait: without this pause, requests that have arrived would miss the batch, and
        # batches would be small.
        await asyncio.sleep(0)
    if feed.position == left.last_event:
        return True
    # Other writers of this process had their turn first.
    await db.close()
    return False


def _resolve(batch: Sequence[_PendingItem[Any]], results: Sequence[Any]) -> None:
    for each, result in zip(batch, results, strict=True):
        if each.done.cancelled():
            continue
        if isinstance(result, Exception):
            each.done.set_exception(result)
        else:
            each.done.set_result(result)


def _fail(batch: Sequence[_PendingItem[Any]], error: Exception) -> None:
    for each in batch:
        if not each.done.cancelled():
            each.done.set_exception(error)
