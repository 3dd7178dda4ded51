"""Writers that wait together are committed together: one transaction for many small writes."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from chatapi.core.clock import Clock
from chatapi.core.ids import RealmId
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.optimistic_write import ClockSnapshot
from chatapi.db.session import DatabaseSession
from chatapi.events.feed import Feed
from chatapi.events.hub import Hub
from chatapi.events.unit_of_work import UnitOfWork

_MAX_AT_ONCE = 100
_LOOP_TURNS = 2
"""Of the event loop: enough for a request that was read to be submitted."""

_Kind = tuple[RealmId, str]

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

Write = Callable[[UnitOfWork, Sequence[ItemT]], Awaitable[Sequence[ResultT | Exception]]]
"""Writes several items into one transaction: of a realm that is locked and whose feed is up to
date, unless asked to leave the realm alone. An exception in the place of a result refuses that item
alone, and must leave no trace."""


@dataclass(eq=False)
class _PendingItem(Generic[ItemT]):
    item: ItemT
    done: asyncio.Future[Any]


@dataclass(frozen=True)
class _BatchJob:
    """What is done with the items of one kind."""

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
    """Those who wait to have items of one kind written, and how it went so far."""

    waiting: deque[_PendingItem[Any]] = field(default_factory=deque)
    is_running: bool = False
    last_size: int = 1
    """How many were last written together; probably it will be as many again."""
    is_alone: bool = False
    """Whether nobody in another process has written in the realm for a moment."""
    left: ClockSnapshot | None = None
    """Where the last transaction left the realm's clock."""

    def pop(self, most: int) -> list[_PendingItem[Any]]:
        return [self.waiting.popleft() for _ in range(min(len(self.waiting), most))]

    def message_ids(self) -> int:
        """As many as will be wanted, and again as many for next time if there is hope for it."""
        expected = min(max(len(self.waiting), self.last_size), _MAX_AT_ONCE)
        return 2 * expected if self.is_alone else expected


class GroupCommitter:
    """Whoever comes while a transaction is under way goes into the next one.

    A lone writer waits for nobody; under load the price of locks, round trips and the disk is
    shared by all who wait.
    """

    def __init__(self, database: Database, hub: Hub, clock: Clock) -> None:
        self._database = database
        self._hub = hub
        self._clock = clock
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
        """The result of writing an item, once it is committed.

        Items of one realm and name are written together, by the writer of any of them. What has
        no place in the realm's order, and must not hold up what has, does not lock it. What
        `sends_messages` takes an id for each item.
        """
        queue = self._queues[realm_id, name]
        done: asyncio.Future[ResultT] = asyncio.get_running_loop().create_future()
        # Whoever asked may have gone away by then, and with them the one who would care.
        done.add_done_callback(asyncio.Future.exception)
        queue.waiting.append(_PendingItem(item, done))
        if not queue.is_running:
            queue.is_running = True
            job = _BatchJob(realm_id, write, locks_realm, sends_messages)
            task = asyncio.create_task(self._drain(queue, job))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        # Whoever stops waiting does not take back what may already be on its way.
        return await asyncio.shield(done)

    async def close(self) -> None:
        """Let what is under way come to its end."""
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
            # Before the lock: whoever holds it must not wait for a second connection.
            feed = await self._hub.feed(job.realm_id)
            async with DatabaseSession(self._database) as db:
                is_optimistic = await _begin_optimistic(db, queue, feed)
                if not is_optimistic:
                    await _lock(db, queue, job, feed)
                # Only now: everybody who came while the lock was somebody else's comes along.
                batch += queue.pop(_MAX_AT_ONCE)
                queue.last_size = len(batch)
                await self._write(db, job, batch)
                queue.left = db.left
        except Exception as error:  # noqa: BLE001 (each of those who wait is told)
            if is_optimistic and not is_unavailable(error):
                # Whatever it was: under the lock it will show.
                queue.is_alone = False
                queue.waiting.extendleft(reversed(batch))
            elif len(batch) > 1 and not is_unavailable(error):
                await self._write_one_by_one(job, batch)
            else:
                _fail(batch or queue.pop(len(queue.waiting)), error)

    async def _write_one_by_one(self, job: _BatchJob, batch: list[_PendingItem[Any]]) -> None:
        """Nobody has to suffer for what another one wrote."""
        for place, each in enumerate(batch):
            try:
                async with DatabaseSession(self._database) as db:
                    await job.begin(db, 1)
                    await self._write(db, job, [each])
            except Exception as error:  # noqa: BLE001 (the one who waits is told)
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
        await work.commit()
        _resolve(batch, results)


async def _begin_optimistic(db: DatabaseSession, queue: _BatchQueue, feed: Feed) -> bool:
    """Go on from where the last transaction left the realm, if nobody else seems to have written.

    Where others write as well, finding out at the end would often be too late.
    """
    left, queue.left = queue.left, None
    if left is None or not queue.is_alone or feed.position != left.last_event:
        return False
    if len(left.message_ids) < len(queue.waiting):
        return False
    await db.begin_optimistic(left)
    for _ in range(_LOOP_TURNS):
        # Who locks is joined by others while waiting for the database. Without that, those whose
        # requests have arrived would come too late and have to go in small groups.
        await asyncio.sleep(0)
    if feed.position == left.last_event:
        return True
    # Others of this process were before in the queue of writers.
    await db.close()
    return False


async def _lock(db: DatabaseSession, queue: _BatchQueue, job: _BatchJob, feed: Feed) -> None:
    seen = feed.position
    await job.begin(db, queue.message_ids())
    queue.is_alone = job.locks_realm and await db.lock_realm(job.realm_id) == seen


def _resolve(batch: Sequence[_PendingItem[Any]], results: Sequence[Any]) -> None:
    for each, result in zip(batch, results, strict=True):
        if isinstance(result, Exception):
            each.done.set_exception(result)
        else:
            each.done.set_result(result)


def _fail(batch: Sequence[_PendingItem[Any]], error: Exception) -> None:
    for each in batch:
        each.done.set_exception(error)
