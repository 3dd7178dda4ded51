"""One unit of database work: opened on first use, reading until somebody needs to write."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from itertools import islice
from types import TracebackType
from typing import Any, Self, TypeVar, TypeVarTuple, cast, overload

from sqlalchemy import CursorResult, Executable
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncTransaction
from sqlalchemy.sql.selectable import TypedReturnsRows

from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.db.awaited_answers import AwaitedAnswer
from chatapi.db.bulk_writes import BulkInsert, PendingWrite, execute_pending
from chatapi.db.clocks import LOCK_CLOCK, LOCK_CLOCK_AND_TAKE_IDS
from chatapi.db.database import Database
from chatapi.db.optimistic_write import ClockConflictError, ClockSnapshot, OptimisticWrite
from chatapi.db.time_limit import execute_with_timeout

T = TypeVar("T")
Columns = TypeVarTuple("Columns")
Values = Mapping[str, Any]

_NOT_WATCHED = nullcontext()
_MAX_TURN_SECONDS = 20.0
"""How long a writer waits for others of its process; those behind a stuck one must not pile up."""
_ROWS_AT_ONCE = 500
"""SQLAlchemy takes about 15 microseconds for each, on the event loop."""


class DatabaseSession:
    """Reads statement by statement, or in one snapshot, or writes in one transaction.

    A session holds no connection until its first statement. `write` and `lock_realm` give the
    reading connection back first, so that a waiting writer blocks nobody.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.is_writing = False
        self.was_locked_first = False
        """Whether a realm was locked before anything was read, and has been ever since."""
        self.as_of: EventNumber | None = None
        """The last event a snapshot of a realm sees, noted by whoever took it."""
        self.left: ClockSnapshot | None = None
        """After a commit that did not use all of its message ids: the next one may rely on it."""
        self.statement_seconds: float | None = None
        """How long a statement may take before it is refused; None: as long as any may."""
        self._optimistic: OptimisticWrite | None = None
        self._connection: AsyncConnection | None = None
        self._waiting: AbstractContextManager[None] = _NOT_WATCHED
        """Around each wait for an answer on the connection."""
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
        """Run one statement; a list of rows makes it one statement for many.

        Statements that run often are built once, with bind parameters, and given their values:
        building one costs as much as running it.
        """
        if self._pending:
            await self._write_pending()
        return await self._run(statement, values)

    async def execute_many(self, statement: Executable, rows: Iterable[Values]) -> None:
        """Run one statement for any number of rows, in slices: preparing them takes its time.

        Use it where a client chooses how many rows there are; rows that are made one by one, by
        a generator, are made slice by slice as well.
        """
        left = iter(rows)
        while some := list(islice(left, _ROWS_AT_ONCE)):
            await self.execute(statement, some)

    async def queue_write(
        self, kind: BulkInsert, rows: Sequence[Values], changes: Sequence[Values] = ()
    ) -> None:
        """Write with what else is to be written soon: before the next statement, or the commit."""
        if any(each.kind is kind for each in self._pending):
            await self._write_pending()
        self._pending.append(PendingWrite(kind, rows, changes))

    async def snapshot(self) -> None:
        """From here on every read sees the same moment."""
        await self.close()
        self._connection = await self._open(self.database.snapshot)

    async def memoize(self, name: str, read: Callable[[], Awaitable[T]]) -> T:
        """What was read in a snapshot is not read in it again; elsewhere it may have changed."""
        if self.as_of is None:
            return await read()
        if name not in self._seen:
            self._seen[name] = await read()
        return cast(T, self._seen[name])

    async def write(self, realm_id: RealmId | None = None) -> None:
        """From here on everything belongs to one transaction."""
        if self.is_writing:
            return
        await self.close()
        await self._take_turn(realm_id)
        self._connection = await self._open(self.database.engine)
        self.is_writing = True

    async def lock_realm(self, realm_id: RealmId, *, message_ids: int = 0) -> EventNumber:
        """Stop the realm's clock: until the end of the transaction nobody else writes there.

        Returns the number of the last event. Reads after this see everything up to it. Whoever
        will send messages says how many `message_ids` they expect to need: these come with it.
        """
        if self.as_of is not None:
            # From here on things change.
            self.as_of, self._seen = None, {}
        if realm_id not in self._clocks:
            await self.write(realm_id)
            self._clocks[realm_id] = await self._lock_clock(realm_id, message_ids)
        return self._clocks[realm_id]

    async def lock_realm_first(self, realm_id: RealmId) -> EventNumber:
        """Lock a realm before anything is decided: for whoever was overtaken too often."""
        number = await self.lock_realm(realm_id)
        self.was_locked_first = True
        return number

    async def begin_optimistic(self, known: ClockSnapshot) -> None:
        """Write as if the realm were locked; the commit finds out whether nobody else wrote there.

        It is one statement then, instead of the trips to begin, lock, write and commit. For
        anything but `queue_write` the realm is locked after all. Raises `ClockConflictError`, then
        or with the commit.
        """
        await self.close()
        await self._take_turn(known.realm_id)
        self._optimistic = OptimisticWrite(known, await self._connect(self.database.engine))
        self._clocks = {known.realm_id: known.last_event}
        self._message_ids = list(known.message_ids)
        self.is_writing = True

    def advance_clock(self, realm_id: RealmId, number: EventNumber) -> None:
        """The last event is one that is being written."""
        self._clocks[realm_id] = number

    def use_message_ids(self, count: int) -> list[MessageId]:
        """Those that came with the lock, ascending and each once; perhaps fewer than wanted."""
        used, self._message_ids = self._message_ids[:count], self._message_ids[count:]
        return used

    @property
    def is_live(self) -> bool:
        """Whether a read sees what is committed now, and not a moment or changes of its own."""
        return self._transaction is None and self._optimistic is None

    @property
    def is_optimistic(self) -> bool:
        """Whether any statement would cost a lock that may not be needed."""
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
                await _run_to_completion(self._transaction.commit())
            # Only now it is known that what was written is where the next process will look.
            self.database.require_file()
        left = self._clock_snapshot()
        await self.close()
        self.left = left

    async def close(self) -> None:
        """Give everything back; what was written and not committed is undone."""
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
        """What must be given back; a long poll waits with nothing to give back."""
        if self._resources is None:
            self._resources = AsyncExitStack()
        return self._resources

    async def _take_turn(self, realm_id: RealmId | None) -> None:
        """Wait for the writers of this process who came before, but not for ever."""
        async with asyncio.timeout(_MAX_TURN_SECONDS):
            await self._hold().enter_async_context(self.database.writer_turn(realm_id))

    async def _connect(self, engine: AsyncEngine) -> AsyncConnection:
        self.database.require_file()
        connection = await self.database.connect(engine)
        awaited = self.database.watch(connection)
        if awaited is None:
            self._hold().push_async_exit(connection.__aexit__)
            return connection
        self._waiting = awaited
        self._hold().push_async_callback(self._give_back, connection, awaited)
        return connection

    async def _give_back(self, connection: AsyncConnection, awaited: AwaitedAnswer) -> None:
        try:
            # Undoing what was not committed is waiting for an answer as well.
            with awaited:
                await connection.__aexit__(None, None, None)
        finally:
            self.database.awaited.remove(awaited)

    async def _open(self, engine: AsyncEngine) -> AsyncConnection:
        connection = await self._connect(engine)
        if engine is not self.database.reader:
            self._transaction = await connection.begin()
        return connection


async def _run_to_completion(commit: Coroutine[Any, Any, None]) -> None:
    """A cancelled request must not leave behind a transaction whose fate nobody knows."""
    committing = asyncio.ensure_future(commit)
    try:
        await asyncio.shield(committing)
    except asyncio.CancelledError:
        # Its connection cannot be given back before.
        await asyncio.wait({committing})
        raise
