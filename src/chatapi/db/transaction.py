"""Write transactions: their turn among writers, the realms they have locked, and the commit."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from msgspec import Struct
from sqlalchemy import CursorResult, Executable
from sqlalchemy.ext.asyncio.engine import AsyncConnection, AsyncTransaction
from typing_extensions import override

from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.db.bulk_writes import DeferredWrites
from chatapi.db.clocks import LOCK_CLOCK, LOCK_CLOCK_AND_TAKE_IDS
from chatapi.db.database import Database
from chatapi.db.pooled_connection import PooledConnection, Values
from chatapi.db.sqlite_bulk_writes import write_on_thread
from chatapi.db.sqlite_driver import sqlite_connection_of
from chatapi.db.time_limit import execute_with_timeout
from chatapi.db.writer_turns import WriterTurn

_MAX_TURN_SECONDS = 20.0
"""How long a writer waits for other writers of its process, so that none pile up behind a stuck
one."""


class ClockSnapshot(Struct, frozen=True):
    """A realm's clock after a transaction, and the message ids it took and did not use.

    It is valid until another transaction writes in the realm; an optimistic write checks that.
    """

    realm_id: RealmId
    last_event: EventNumber
    message_ids: Sequence[MessageId]


@dataclass(eq=False)
class Changes:
    """What a transaction has locked, taken and still has to write."""

    clocks: dict[RealmId, EventNumber] = field(default_factory=dict)
    """The locked realms, each with its last event, those of this transaction included."""
    message_ids: list[MessageId] = field(default_factory=list)
    """Ids that were taken and are not used yet, ascending."""
    deferred: DeferredWrites = field(default_factory=DeferredWrites)

    def use_message_ids(self, count: int) -> list[MessageId]:
        used, self.message_ids = self.message_ids[:count], self.message_ids[count:]
        return used

    def clock_snapshot(self) -> ClockSnapshot | None:
        """Return what the next optimistic write may begin from, if ids are left for it."""
        if not self.message_ids or len(self.clocks) != 1:
            return None
        [(realm_id, last_event)] = self.clocks.items()
        return ClockSnapshot(realm_id, last_event, self.message_ids)


async def acquire_turn(
    database: Database, realm_id: RealmId | None, *, is_batch: bool
) -> WriterTurn:
    """Wait for earlier writers of this process, with a timeout; the caller releases the turn."""
    turn = database.writer_turn(realm_id)
    async with asyncio.timeout(_MAX_TURN_SECONDS):
        await turn.acquire(is_batch=is_batch)
    return turn


class Transaction(PooledConnection):
    """A write transaction, this process's turn to write, and the realms it has locked."""

    __slots__ = ("_turn", "changes", "transaction", "was_locked_first")

    transaction: AsyncTransaction
    was_locked_first: bool
    """Whether a realm was locked before anything was read."""

    def __init__(self, database: Database, connection: AsyncConnection, turn: WriterTurn) -> None:
        super().__init__(database, connection)
        self._turn = turn
        self.changes = Changes()
        self.was_locked_first = False

    @classmethod
    async def begin(
        cls, database: Database, realm_id: RealmId | None, *, is_batch: bool = False
    ) -> Self:
        """Begin a transaction that will write in a realm, or in none."""
        turn = await acquire_turn(database, realm_id, is_batch=is_batch)
        try:
            database.require_file()
            transaction = cls(database, await database.connect(database.engine), turn)
        except BaseException:
            turn.release()
            raise
        try:
            transaction.transaction = await transaction.connection.begin()
        except BaseException:
            await transaction.close()
            raise
        return transaction

    @override
    async def close(self) -> None:
        try:
            await super().close()
        finally:
            self._turn.release()

    @override
    async def execute(
        self, statement: Executable, values: Values | Sequence[Values] | None, seconds: float | None
    ) -> CursorResult[*tuple[Any, ...]]:
        if self.changes.deferred.pending:
            await self.write_deferred(seconds)
        return await super().execute(statement, values, seconds)

    async def write_deferred(self, seconds: float | None = None) -> None:
        """Run the deferred writes."""
        driver = sqlite_connection_of(self.connection)
        if driver is not None:
            write = partial(write_on_thread, self.database, driver, self.changes.deferred.take())
            with self.waiting:
                if seconds is None:
                    await write()
                else:
                    await execute_with_timeout(seconds, self.connection, write)
            return
        run = super().execute
        await self.changes.deferred.write(lambda statement, values: run(statement, values, seconds))

    async def lock(self, realm_id: RealmId, message_ids: int, seconds: float | None) -> EventNumber:
        """Lock a realm's clock, and return its last event; PostgreSQL takes message ids as well."""
        values: dict[str, int] = {"realm_id": realm_id}
        if message_ids == 0 or self.database.is_sqlite:
            row = await self.execute(LOCK_CLOCK, values, seconds)
            number = EventNumber(row.scalar_one())
        else:
            values["count"] = message_ids
            rows = (await self.execute(LOCK_CLOCK_AND_TAKE_IDS, values, seconds)).all()
            self.changes.message_ids = sorted(MessageId(number) for _, number in rows)
            number = EventNumber(rows[0].last_event)
        self.changes.clocks[realm_id] = number
        return number

    async def commit(self) -> ClockSnapshot | None:
        """Write what was deferred, and commit."""
        if self.changes.deferred.pending:
            await self.write_deferred()
        self.database.round_trips += 1
        with self.waiting:
            await run_to_completion(self._commit())
        # Checked after the commit: was it written to the file that the next process opens?
        self.database.require_file()
        return self.changes.clock_snapshot()

    async def _commit(self) -> None:
        try:
            await self.transaction.commit()
        except BaseException:
            # SQLAlchemy would return it to the pool without a rollback: on SQLite the transaction,
            # and with it the write lock, would stay open.
            await self.connection.invalidate()
            raise


async def run_to_completion(commit: Coroutine[Any, Any, None]) -> None:
    """Finish a commit even if the request is cancelled: its outcome must be known."""
    committing = asyncio.ensure_future(commit)
    try:
        await asyncio.shield(committing)
    except asyncio.CancelledError:
        # The connection cannot be returned to the pool before.
        await asyncio.wait({committing})
        raise
