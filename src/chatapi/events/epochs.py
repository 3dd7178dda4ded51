"""Epochs: they distinguish queues that have seen events of a lost history from all others.

A restored backup is a database whose log ends earlier than it did. Clients may have ids beyond its
end, which new events will have again. So each process that starts records the last event of each
realm's log: a queue that was last served before that has seen nothing later, unless the later
events were lost. See docs/adr/0020-a-restored-backup-begins-a-new-epoch.md.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence

import structlog

from chatapi.core.clock import Clock
from chatapi.core.ids import EventId, QueueId
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from chatapi.events.epoch_rows import EpochRows
from chatapi.events.event_ids import newest_begun
from chatapi.events.group_commit import GroupCommitter
from chatapi.events.hub import CLOCK_CHECK_SECONDS, Hub
from chatapi.events.live_queue import LiveQueue
from chatapi.events.queue_rows import QueueRows
from chatapi.events.unit_of_work import UnitOfWork

_LOOKS_FOR_OTHERS = 20
"""Ten seconds: a busy machine may take that long for one clock check."""

log = structlog.get_logger()


class Epochs:
    """Begins the epoch of this process, and carries queues over from earlier ones."""

    def __init__(
        self,
        database: Database,
        hub: Hub,
        clock: Clock,
        list_live: Callable[[], Iterable[LiveQueue]],
    ) -> None:
        self._database = database
        self._clock = clock
        self._list_live = list_live
        self._group_committer = GroupCommitter(database, hub, clock)
        self.newest = 0
        """The newest epoch this process knows of; 0: its own has not begun yet."""
        self.looks_for_others = _LOOKS_FOR_OTHERS
        """How often `carry_over` looks, twice a second, whether another process serves the queue.

        A rejected queue waits only once. Tests without another process need not wait."""
        hub.on_clock_check(self.check_for_new_epochs)
        hub.on_clock_rollback(self._distrust_queues)

    async def begin(self, *, trusts_queues: bool = True) -> None:
        """Begin an epoch; call it before this process writes anything.

        With `trusts_queues=False` all earlier queues are rejected.
        """
        async with DatabaseSession(self._database) as db, db.transaction():
            epoch = await EpochRows(db).add(self._clock.now(), trusts_queues=trusts_queues)
        self.newest = epoch

    async def ensure_begun(self) -> None:
        """Begin the epoch if it has not begun: the process may have started before its database."""
        if self.newest == 0:
            await self.begin()

    async def carry_over(self, queue: LiveQueue, cursor: EventId) -> bool:
        """Carry a queue over; returns False if its client may have seen events of a lost history.

        A queue that another process serves may have seen later events than there were when this
        process started; that process carries the queue over as soon as it notices this one.
        """
        looks = 0
        # Again if this process notices a newer epoch meanwhile: `_carry_over_served` passes over a
        # queue that is not yet carried over to the one before.
        while queue.epoch < self.newest:
            async with DatabaseSession(self._database) as db:
                record = await QueueRows(db).find(queue.id)
                if record is None:
                    return False
                start = await EpochRows(db).find_earliest_start(record.epoch, queue.realm_id)
            if record.epoch >= self.newest:
                queue.epoch = record.epoch
            elif newest_begun(cursor) <= start:
                # Written before the client gets later events. In a group commit, because after a
                # restart all clients come at once.
                queue.epoch = await self._group_committer.submit(
                    queue.realm_id, "carry over", self._write, queue.id, locks_realm=False
                )
            elif looks == self.looks_for_others:
                log.warning("queue_of_a_lost_history", realm_id=queue.realm_id)
                return False
            else:
                looks += 1
                await asyncio.sleep(CLOCK_CHECK_SECONDS)
        return True

    async def check_for_new_epochs(self) -> None:
        """If another process has started, carry over the queues that are served here."""
        await self.ensure_begun()
        async with DatabaseSession(self._database) as db:
            newest, known = await EpochRows(db).find_newest(), self.newest
            if newest > known:
                await self._carry_over_served(db, known, newest)
        if newest < known:
            await self._distrust_queues()

    async def _carry_over_served(self, db: DatabaseSession, known: int, newest: int) -> None:
        """Carry over the queues that this process has served since the epoch it knows of."""
        served = [queue for queue in self._list_live() if queue.epoch >= known]
        # Before the rows are written: a queue that is loaded meanwhile is compared with the newest
        # epoch, and one that is being created has no row yet and is written by `write_missed`.
        self.newest = newest
        for queue in served:
            queue.epoch = newest
        if not served:
            return
        try:
            async with db.transaction():
                await QueueRows(db).carry_over([queue.id for queue in served], newest)
        except BaseException:
            self.newest = known
            for queue in served:
                queue.epoch = known
            raise

    async def write_missed(self, queue: LiveQueue, written: int) -> None:
        """Write the epoch of a new queue again if another process started before its commit."""
        if queue.epoch > written:
            async with DatabaseSession(self._database) as db, db.transaction():
                await QueueRows(db).carry_over([queue.id], queue.epoch)

    async def close(self) -> None:
        await self._group_committer.close()
        if self.newest:
            await self.check_for_new_epochs()

    async def _write(self, work: UnitOfWork, queue_ids: Sequence[QueueId]) -> list[int]:
        newest = self.newest
        await QueueRows(work.db).carry_over(queue_ids, newest)
        return [newest] * len(queue_ids)

    async def _distrust_queues(self) -> None:
        """Reject all queues: the database went back to an earlier state under this process."""
        log.error("database_went_back")
        await self.begin(trusts_queues=False)
