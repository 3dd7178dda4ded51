"""Writers that wait together are committed together: one transaction for many small writes."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from chatapi.core.clock import Clock
from chatapi.core.ids import RealmId
from chatapi.db.database import Database
from chatapi.db.faults import is_unavailable
from chatapi.db.session import DatabaseSession
from chatapi.events.hub import Hub
from chatapi.events.unit_of_work import UnitOfWork

_MOST_AT_ONCE = 100

_Kind = tuple[RealmId, str]

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

Write = Callable[[UnitOfWork, Sequence[ItemT]], Awaitable[Sequence[ResultT | Exception]]]
"""Writes several items into one transaction: of a realm that is locked and whose feed is up to
date, unless asked to leave the realm alone. An exception in the place of a result refuses that item
alone, and must leave no trace."""


@dataclass(eq=False)
class _Waiting(Generic[ItemT]):
    item: ItemT
    done: asyncio.Future[Any]


@dataclass(frozen=True)
class _Errand:
    """What is done with the items of one kind."""

    realm_id: RealmId
    write: Write[Any, Any]
    locks_realm: bool
    sends_messages: bool

    async def begin(self, db: DatabaseSession, expected: int) -> None:
        if self.locks_realm:
            message_ids = expected if self.sends_messages else 0
            await db.lock_realm(self.realm_id, message_ids=message_ids)
        else:
            await db.write()


class Gatherer:
    """Whoever comes while a transaction is under way goes into the next one.

    A lone writer waits for nobody; under load the price of locks, round trips and the disk is
    shared by all who wait.
    """

    def __init__(self, database: Database, hub: Hub, clock: Clock) -> None:
        self._database = database
        self._hub = hub
        self._clock = clock
        self._waiting: defaultdict[_Kind, deque[_Waiting[Any]]] = defaultdict(deque)
        self._busy: set[_Kind] = set()
        self._last_size: dict[_Kind, int] = {}
        """How many were last written together; probably it will be as many again."""
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
        kind = (realm_id, name)
        done: asyncio.Future[ResultT] = asyncio.get_running_loop().create_future()
        # Whoever asked may have gone away by then, and with them the one who would care.
        done.add_done_callback(asyncio.Future.exception)
        self._waiting[kind].append(_Waiting(item, done))
        if kind not in self._busy:
            self._busy.add(kind)
            errand = _Errand(realm_id, write, locks_realm, sends_messages)
            task = asyncio.create_task(self._work_through(kind, errand))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        # Whoever stops waiting does not take back what may already be on its way.
        return await asyncio.shield(done)

    async def close(self) -> None:
        """Let what is under way come to its end."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work_through(self, kind: _Kind, errand: _Errand) -> None:
        waiting = self._waiting[kind]
        try:
            while waiting:
                await self._write_some(kind, errand, waiting)
        finally:
            self._busy.discard(kind)
            del self._waiting[kind]

    async def _write_some(
        self, kind: _Kind, errand: _Errand, waiting: deque[_Waiting[Any]]
    ) -> None:
        batch: list[_Waiting[Any]] = []
        try:
            # Before the lock: whoever holds it must not wait for a second connection.
            await self._hub.feed(errand.realm_id)
            async with DatabaseSession(self._database) as db:
                expected = max(len(waiting), self._last_size.get(kind, 1))
                await errand.begin(db, min(expected, _MOST_AT_ONCE))
                # Only now: everybody who came while the lock was somebody else's comes along.
                batch += [waiting.popleft() for _ in range(min(len(waiting), _MOST_AT_ONCE))]
                self._last_size[kind] = len(batch)
                await self._write(db, errand, batch)
        except Exception as error:  # noqa: BLE001 (each of those who wait is told)
            if len(batch) > 1 and not is_unavailable(error):
                await self._write_one_by_one(errand, batch)
            else:
                _fail(batch or [waiting.popleft() for _ in range(len(waiting))], error)

    async def _write_one_by_one(self, errand: _Errand, batch: list[_Waiting[Any]]) -> None:
        """Nobody has to suffer for what another one wrote."""
        for place, each in enumerate(batch):
            try:
                async with DatabaseSession(self._database) as db:
                    await errand.begin(db, 1)
                    await self._write(db, errand, [each])
            except Exception as error:  # noqa: BLE001 (the one who waits is told)
                if is_unavailable(error):
                    _fail(batch[place:], error)
                    return
                _fail([each], error)

    async def _write(
        self, db: DatabaseSession, errand: _Errand, batch: Sequence[_Waiting[Any]]
    ) -> None:
        if errand.locks_realm:
            await self._hub.reach(db, errand.realm_id, await db.lock_realm(errand.realm_id))
        work = UnitOfWork(db, self._hub, self._clock)
        results = await errand.write(work, [each.item for each in batch])
        if len(results) != len(batch):
            raise RuntimeError("a writer has to give one result for each item")
        await work.commit()
        _tell(batch, results)


def _tell(batch: Sequence[_Waiting[Any]], results: Sequence[Any]) -> None:
    for each, result in zip(batch, results, strict=True):
        if isinstance(result, Exception):
            each.done.set_exception(result)
        else:
            each.done.set_result(result)


def _fail(batch: Sequence[_Waiting[Any]], error: Exception) -> None:
    for each in batch:
        each.done.set_exception(error)
