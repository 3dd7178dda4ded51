"""One unit of database work: connects on first use, and reads until the caller needs to write."""

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from itertools import islice
from types import TracebackType
from typing import Any, Self, TypeVar, TypeVarTuple, cast, overload

from sqlalchemy import CursorResult, Executable
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncTransaction
from sqlalchemy.sql.selectable import TypedReturnsRows

from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.db.bulk_writes import BulkInsert, PendingWrite, execute_pending
from chatapi.db.clocks import LOCK_CLOCK, LOCK_CLOCK_AND_TAKE_IDS
from chatapi.db.connection_watchdog import WatchedConnection
from chatapi.db.database import Database
from chatapi.db.optimistic_write import ClockConflictError, ClockSnapshot, OptimisticWrite
from chatapi.db.time_limit import execute_with_timeout

T = TypeVar("T")
Columns = TypeVarTuple("Columns")
Values = Mapping[str, Any]

_NOT_WATCHED = nullcontext()
_MAX_TURN_SECONDS = 20.0
"""How long a writer waits for other writers of its process, so that none pile up behind a stuck
one."""
_ROWS_AT_ONCE = 500
"""SQLAlchemy takes about 15 microseconds for each row, on the event loop."""


class DatabaseSession:
    """Reads statement by statement, or in one snapshot, or writes in one transaction.

    A session holds no connection until its first statement. `write` and `lock_realm` return the
    reading connection to the pool first, so that a waiting writer does not occupy it.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.is_writing = False
        self.was_locked_first = False
        """Whether a realm was locked before anything was read, and is still locked."""
        self.as_of: EventNumber | None = None
        """The last event that a snapshot of a realm includes, set by the code that took it."""
        self.left: ClockSnapshot | None = None
        """Set after a commit that did not use all of its message ids: the next optimistic write may
        begin from it."""
        self.statement_seconds: float | None = None
        """How long a statement may take before it is cancelled; None: the general limit."""
        self._optimistic: OptimisticWrite | None = None
        self._connection: AsyncConnection | None = None
        self._waiting: AbstractContextManager[None] = _NOT_WATCHED
        """Entered around each wait for a response on the connection."""
        self._transaction: AsyncTransaction | None = None
        self._resources: AsyncExitStack | None = None
        self._clocks: dict[RealmId, EventNumber] = {}
        self._message_ids: list[MessageId] = []
        self._pending: list[PendingWrite] = []
        self._seen: dict[str, object] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @overload
    async def execute(
        self, statement: TypedReturnsRows[*Columns], values: Values | None = None
    ) -> CursorResult[*Columns]: ...

    @overload
    async def execute(
        self, statement: Executable, values: Values | Sequence[Values] | None = None
    ) -> CursorResult[*tuple[Any, ...]]: ...

    async def execute(
        self, statement: Executable, values: Values | Sequence[Values] | None = None
    ) -> CursorResult[*tuple[Any, ...]]:
        """Run one statement; with a list of rows, for all of them.

        Build statements that run often only once, with bind parameters, and pass their values:
        building one costs as much as running it.
        """
        if self._pending:
            await self._write_pending()
        return await self._run(statement, values)

    async def execute_many(self, statement: Executable, rows: Iterable[Values]) -> None:
        """Run one statement for any number of rows, in slices: preparing rows takes time.

        Use it where a client chooses how many rows there are. Rows from a generator are produced
        slice by slice as well.
        """
        left = iter(rows)
        while some := list(islice(left, _ROWS_AT_ONCE)):
            await self.execute(statement, some)

    async def queue_write(
        self, kind: BulkInsert, rows: Sequence[Values], changes: Sequence[Values] = ()
    ) -> None:
        """Queue a bulk write; it runs with others before the next statement or the commit."""
        if any(each.kind is kind for each in self._pending):
            await self._write_pending()
        self._pending.append(PendingWrite(kind, rows, changes))

    async def snapshot(self) -> None:
        """Begin a snapshot: all reads that follow see the same state of the database."""
        await self.close()
        self._connection = await self._open(self.database.snapshot)

    async def memoize(self, name: str, read: Callable[[], Awaitable[T]]) -> T:
        """Read something once per snapshot; outside a snapshot of a realm it is always read."""
        if self.as_of is None:
            return await read()
        if name not in self._seen:
            self._seen[name] = await read()
        return cast(T, self._seen[name])

    async def write(self, realm_id: RealmId | None = None) -> None:
        """Begin a write transaction: all statements that follow belong to it."""
        if self.is_writing:
            return
        await self.close()
        await self._take_turn(realm_id)
        self._connection = await self._open(self.database.engine)
        self.is_writing = True

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Begin a write transaction, and commit it at the end of the block, unless that raises.

        For writes that belong to no realm's order of events, such as positions of event queues.
        """
        await self.write()
        try:
            yield
            await self.commit()
        finally:
            await self.close()

    async def lock_realm(self, realm_id: RealmId, *, message_ids: int = 0) -> EventNumber:
        """Lock the realm's clock: until the transaction ends, no other writer can write there.

        Returns the number of the last event. Reads after this see everything up to it. A caller
        that will send messages passes how many `message_ids` it expects to need: PostgreSQL
        takes them in the same statement.
        """
        if self.as_of is not None:
            # From here on it is no snapshot any more.
            self.as_of, self._seen = None, {}
        if realm_id not in self._clocks:
            await self.write(realm_id)
            self._clocks[realm_id] = await self._lock_clock(realm_id, message_ids)
        return self._clocks[realm_id]

    async def lock_realm_first(self, realm_id: RealmId) -> EventNumber:
        """Lock a realm before anything is read: for requests that had to start over too often."""
        number = await self.lock_realm(realm_id)
        self.was_locked_first = True
        return number

    async def begin_optimistic(self, known: ClockSnapshot) -> None:
        """Begin an optimistic write: the commit checks that no other writer moved the clock.

        It then takes one statement, instead of the round trips to begin, lock, write and commit.
        Any statement other than `queue_write` locks the realm after all. `ClockConflictError` is
        raised then, or by the commit, if the clock has moved.
        """
        await self.close()
        await self._take_turn(known.realm_id)
        self._optimistic = OptimisticWrite(known, await self._connect(self.database.engine))
        self._clocks = {known.realm_id: known.last_event}
        self._message_ids = list(known.message_ids)
        self.is_writing = True

    def advance_clock(self, realm_id: RealmId, number: EventNumber) -> None:
        """Set the last event of a locked realm to one that this transaction writes."""
        self._clocks[realm_id] = number

    def use_message_ids(self, count: int) -> list[MessageId]:
        """Return unused ids taken with the lock, ascending; perhaps fewer than `count`."""
        used, self._message_ids = self._message_ids[:count], self._message_ids[count:]
        return used

    @property
    def is_live(self) -> bool:
        """Whether reads see the latest commits: not a snapshot, nor uncommitted changes."""
        return self._transaction is None and self._optimistic is None

    @property
    def is_optimistic(self) -> bool:
        """Whether an optimistic write has begun: any statement would have to lock the realm."""
        return self._optimistic is not None

    def has_locked(self, realm_id: RealmId) -> bool:
        return realm_id in self._clocks

    async def commit(self) -> None:
        if self._optimistic is not None:
            await _run_to_completion(self._write_optimistic(self._optimistic))
        elif self._pending:
            await self._write_pending()
        if self._transaction is not None and self.is_writing:
            with self._waiting:
                await _run_to_completion(self._commit(self._transaction))
            # Checked after the commit: was it written to the file that the next process opens?
            self.database.require_file()
        left = self._clock_snapshot()
        await self.close()
        self.left = left

    async def _commit(self, transaction: AsyncTransaction) -> None:
        try:
            await transaction.commit()
        except BaseException:
            # SQLAlchemy would return it to the pool without a rollback: on SQLite the transaction,
            # and with it the write lock, would stay open.
            await transaction.connection.invalidate()
            raise

    async def close(self) -> None:
        """Release all resources; what was not committed is rolled back."""
        resources, self._resources = self._resources, None
        self._connection = None
        self._waiting = _NOT_WATCHED
        self._transaction = None
        self.is_writing = False
        self.was_locked_first = False
        self.as_of = None
        self.left = None
        self._optimistic = None
        self._clocks = {}
        self._message_ids = []
        self._pending = []
        self._seen = {}
        if resources is not None:
            await resources.aclose()

    async def _run(
        self, statement: Executable, values: Values | Sequence[Values] | None
    ) -> CursorResult[*tuple[Any, ...]]:
        if self._optimistic is not None:
            await self._fall_back_to_lock(self._optimistic.known)
        if self._connection is None:
            self._connection = await self._open(self.database.reader)
        connection = self._connection
        with self._waiting:
            if self.statement_seconds is None:
                return await connection.execute(statement, values)
            return await execute_with_timeout(
                self.statement_seconds, connection, lambda: connection.execute(statement, values)
            )

    async def _lock_clock(self, realm_id: RealmId, message_ids: int) -> EventNumber:
        if message_ids == 0 or self.database.is_sqlite:
            row = await self.execute(LOCK_CLOCK, {"realm_id": realm_id})
            return EventNumber(row.scalar_one())
        values = {"realm_id": realm_id, "count": message_ids}
        rows = (await self._run(LOCK_CLOCK_AND_TAKE_IDS, values)).all()
        self._message_ids = sorted(MessageId(number) for _, number in rows)
        return EventNumber(rows[0].last_event)

    async def _fall_back_to_lock(self, known: ClockSnapshot) -> None:
        so_far = self._clocks, self._message_ids, self._pending
        await self.close()
        if await self.lock_realm(known.realm_id) != known.last_event:
            raise ClockConflictError
        self._clocks, self._message_ids, self._pending = so_far

    def _clock_snapshot(self) -> ClockSnapshot | None:
        if not self._message_ids or len(self._clocks) != 1:
            return None
        [(realm_id, last_event)] = self._clocks.items()
        return ClockSnapshot(realm_id, last_event, self._message_ids)

    async def _write_pending(self) -> None:
        pending, self._pending = self._pending, []
        await execute_pending(pending, self._run, is_sqlite=self.database.is_sqlite)

    async def _write_optimistic(self, optimistic: OptimisticWrite) -> None:
        pending, self._pending = self._pending, []
        used = len(optimistic.known.message_ids) - len(self._message_ids)
        with self._waiting:
            self._message_ids += await optimistic.write(pending, max(used, 1))

    def _hold(self) -> AsyncExitStack:
        """Return the stack of resources to release; created on demand: long polls hold none."""
        if self._resources is None:
            self._resources = AsyncExitStack()
        return self._resources

    async def _take_turn(self, realm_id: RealmId | None) -> None:
        """Wait for earlier writers of this process, with a timeout."""
        async with asyncio.timeout(_MAX_TURN_SECONDS):
            await self._hold().enter_async_context(self.database.writer_turn(realm_id))

    async def _connect(self, engine: AsyncEngine) -> AsyncConnection:
        self.database.require_file()
        connection = await self.database.connect(engine)
        watched = self.database.watch(connection)
        if watched is None:
            self._hold().push_async_exit(connection.__aexit__)
            return connection
        self._waiting = watched
        self._hold().push_async_callback(self._give_back, connection, watched)
        return connection

    async def _give_back(self, connection: AsyncConnection, watched: WatchedConnection) -> None:
        try:
            # A rollback waits for a response as well.
            with watched:
                await connection.__aexit__(None, None, None)
        finally:
            self.database.watchdog.remove(watched)

    async def _open(self, engine: AsyncEngine) -> AsyncConnection:
        connection = await self._connect(engine)
        if engine is not self.database.reader:
            self._transaction = await connection.begin()
        return connection


async def _run_to_completion(commit: Coroutine[Any, Any, None]) -> None:
    """Finish a commit even if the request is cancelled: its outcome must be known."""
    committing = asyncio.ensure_future(commit)
    try:
        await asyncio.shield(committing)
    except asyncio.CancelledError:
        # The connection cannot be returned to the pool before.
        await asyncio.wait({committing})
        raise
