"""A session of the database: reads until the caller begins a snapshot or a transaction."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar, TypeVarTuple, cast, overload

from sqlalchemy import CursorResult, Executable
from sqlalchemy.sql.selectable import TypedReturnsRows

from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.db.bulk_writes import BulkInsert
from chatapi.db.database import Database
from chatapi.db.driver_connection import DriverConnection
from chatapi.db.driver_statements import ReadStatement, WriteStatement
from chatapi.db.optimistic_write import ClockConflictError, OptimisticWrite
from chatapi.db.pooled_connection import Reading, Snapshot, Values
from chatapi.db.transaction import Changes, ClockSnapshot, Transaction

T = TypeVar("T")
Columns = TypeVarTuple("Columns")

Writing: TypeAlias = Transaction | OptimisticWrite
State: TypeAlias = Reading | Snapshot | Writing

_NO_VALUES: Values = {}
_ROWS_AT_ONCE = 500
"""SQLAlchemy takes about 15 microseconds for each row, on the event loop."""


class DatabaseSession:
    """Reads statement by statement, or in one snapshot, or writes in one transaction.

    A session is one of these at a time, and holds no connection until its first statement. To
    begin a snapshot or a transaction, it first returns the connection it has to the pool, so that
    a waiting writer does not occupy one.
    """

    def __init__(self, database: Database, *, is_batch: bool = False) -> None:
        self.database = database
        self._is_batch = is_batch
        """Whether it writes for many requests: batches and single requests write in turn."""
        self.as_of: EventNumber | None = None
        """The last event that a snapshot of a realm includes, set by the code that took it."""
        self.left: ClockSnapshot | None = None
        """Set after a commit that did not use all of its message ids: the next optimistic write may
        begin from it."""
        self.statement_seconds: float | None = None
        """How long a statement may take before it is cancelled; None: the general limit."""
        self._state: State | None = None
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
        state = await self._usable_state()
        return await state.execute(statement, values, self.statement_seconds)

    async def fetch(self, statement: ReadStatement, values: Values = _NO_VALUES) -> Sequence[Any]:
        """Run a statement that reads, and return its rows as sequences of values.

        Outside a transaction it is run directly on the driver, which costs a fifth of `execute`:
        use it for what many requests or registrations read. The statement has to be the same
        object each time, with bind parameters, and `is_one_of` for lists.
        """
        state = await self._usable_state()
        return await state.fetch(statement, values, self.statement_seconds)

    async def fetch_alone(
        self, statement: ReadStatement, values: Values = _NO_VALUES, *, in_turn: bool = False
    ) -> Sequence[Any]:
        """Fetch by a statement that needs no other one, where nearly every request needs it.

        Outside a snapshot or a transaction, on PostgreSQL, its connection is released at once. Pass
        `in_turn` for what each client needs once: when hundreds of them connect, these statements
        take only a part of the connections.
        """
        if self._state is not None or self.database.is_sqlite:
            return await self.fetch(statement, values)
        if in_turn:
            return await self._fetch_in_turn(statement, values)
        return await self._fetch_on_driver(statement, values)

    async def write_alone(self, statement: WriteStatement, values: Values) -> Sequence[Any]:
        """Write by a statement that is a whole transaction, and return its rows.

        For writes that belong to no realm's order of events, in a session that has not begun
        anything. On PostgreSQL it is one round trip, in turn, as for `fetch_alone`.
        """
        if not self.database.is_sqlite:
            return await self._fetch_in_turn(statement, values)
        async with self.transaction():
            return (await self.execute(statement, values)).all()

    async def _fetch_on_driver(
        self, statement: ReadStatement | WriteStatement, values: Values
    ) -> Sequence[Any]:
        connection = await DriverConnection.open(self.database)
        try:
            return await connection.fetch(statement, values)
        finally:
            connection.close()

    async def _fetch_in_turn(
        self, statement: ReadStatement | WriteStatement, values: Values
    ) -> Sequence[Any]:
        share = self.database.connecting_clients
        await share.take()
        try:
            return await self._fetch_on_driver(statement, values)
        finally:
            share.release()

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
        """Defer a bulk write of the transaction; it runs before the next statement or the commit.

        All deferred writes run together. On PostgreSQL they are one statement.
        """
        if self._changes.deferred.has(kind):
            await self._write_deferred()
        self._changes.deferred.add(kind, rows, changes)

    async def snapshot(self) -> None:
        """Begin a snapshot: all reads that follow see the same state of the database."""
        await self.close()
        self._state = await Snapshot.open(self.database)

    @property
    def snapshot_event(self) -> EventNumber:
        """The last event that the snapshot of a realm includes; it is an error to have none."""
        if self.as_of is None:
            raise RuntimeError("take a snapshot of the realm first")
        return self.as_of

    async def memoize(self, name: str, read: Callable[[], Awaitable[T]]) -> T:
        """Read something once per snapshot; outside a snapshot of a realm it is always read."""
        if self.as_of is None:
            return await read()
        if name not in self._seen:
            self._seen[name] = await read()
        return cast(T, self._seen[name])

    async def write(self, realm_id: RealmId | None = None) -> None:
        """Begin a write transaction: all statements that follow belong to it."""
        if not self.is_writing:
            await self._begin(realm_id)

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
        state = self._state
        if isinstance(state, Writing):
            number = state.changes.clocks.get(realm_id)
            if number is not None:
                return number
        transaction = await self._locking_transaction(realm_id)
        return await transaction.lock(realm_id, message_ids, self.statement_seconds)

    async def lock_realm_first(self, realm_id: RealmId) -> EventNumber:
        """Lock a realm before anything is read: for requests that had to start over too often."""
        number = await self.lock_realm(realm_id)
        if isinstance(self._state, Transaction):
            self._state.was_locked_first = True
        return number

    async def begin_optimistic(self, known: ClockSnapshot) -> None:
        """Begin an optimistic write: the commit checks that no other writer moved the clock.

        It then takes one statement, instead of the round trips to begin, lock, write and commit.
        Any statement other than `queue_write` locks the realm after all. `ClockConflictError` is
        raised then, or by the commit, if the clock has moved.
        """
        await self.close()
        self._state = await OptimisticWrite.begin(self.database, known)

    def advance_clock(self, realm_id: RealmId, number: EventNumber) -> None:
        """Set the last event of a locked realm to one that this transaction writes."""
        self._changes.clocks[realm_id] = number

    def use_message_ids(self, count: int) -> list[MessageId]:
        """Return unused ids taken with the lock, ascending; perhaps fewer than `count`."""
        return self._changes.use_message_ids(count)

    @property
    def is_used(self) -> bool:
        """Whether there is anything to release: a connection, a turn to write, or a snapshot."""
        return self._state is not None or self.as_of is not None

    @property
    def is_live(self) -> bool:
        """Whether reads see the latest commits: not a snapshot, nor uncommitted changes."""
        return not isinstance(self._state, Snapshot | Writing)

    @property
    def is_writing(self) -> bool:
        """Whether a transaction has begun."""
        return isinstance(self._state, Writing)

    @property
    def is_optimistic(self) -> bool:
        """Whether an optimistic write has begun: any statement would have to lock the realm."""
        return isinstance(self._state, OptimisticWrite)

    @property
    def was_locked_first(self) -> bool:
        """Whether a realm was locked before anything was read, and is still locked."""
        return isinstance(self._state, Transaction) and self._state.was_locked_first

    def has_locked(self, realm_id: RealmId) -> bool:
        state = self._state
        return isinstance(state, Writing) and realm_id in state.changes.clocks

    async def commit(self) -> None:
        """Commit the transaction, if one has begun, and release the connection."""
        state, left = self._state, None
        if isinstance(state, Writing):
            left = await state.commit()
        await self.close()
        self.left = left

    async def dry_run(self) -> None:
        """Run what was deferred, as a commit would, and roll everything back."""
        await self._write_deferred()
        await self.close()

    async def close(self) -> None:
        """Release all resources; what was not committed is rolled back."""
        state, self._state = self._state, None
        self.as_of = None
        self.left = None
        self._seen = {}
        if state is not None:
            await state.close()

    async def _usable_state(self) -> Reading | Snapshot | Transaction:
        """Return what can run a statement now; reads by default."""
        state = self._state
        if state is None:
            state = self._state = await Reading.open(self.database)
        elif isinstance(state, OptimisticWrite):
            state = await self._fall_back_to_lock(state)
        return state

    @property
    def _changes(self) -> Changes:
        if not isinstance(self._state, Writing):
            raise RuntimeError("begin a transaction first")  # noqa: TRY004 (not a wrong type)
        return self._state.changes

    async def _begin(self, realm_id: RealmId | None) -> Transaction:
        await self.close()
        self._state = transaction = await Transaction.begin(
            self.database, realm_id, is_batch=self._is_batch
        )
        return transaction

    async def _locking_transaction(self, realm_id: RealmId) -> Transaction:
        """Return the transaction that can lock a realm; begins one if there is none."""
        if isinstance(self._state, OptimisticWrite):
            return await self._fall_back_to_lock(self._state)
        if isinstance(self._state, Transaction):
            return self._state
        return await self._begin(realm_id)

    async def _fall_back_to_lock(self, optimistic: OptimisticWrite) -> Transaction:
        """Lock the realm after all, and continue there if its clock has not moved."""
        known = optimistic.known
        transaction = await self._begin(known.realm_id)
        if await transaction.lock(known.realm_id, 0, self.statement_seconds) != known.last_event:
            raise ClockConflictError
        transaction.changes = optimistic.changes
        return transaction

    async def _write_deferred(self) -> None:
        state = self._state
        if isinstance(state, OptimisticWrite):
            state = await self._fall_back_to_lock(state)
        if isinstance(state, Transaction):
            await state.write_deferred(self.statement_seconds)
