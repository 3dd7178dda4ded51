"""Optimistic writes: they take the clock from the last transaction. On PostgreSQL only."""

from functools import cache
from typing import Any, Self

from sqlalchemy import Select

from chatapi.core.ids import MessageId
from chatapi.db.bulk_writes import BulkInsert, all_parts, kinds_of, values_of
from chatapi.db.clocks import CLOCK_IS_UNCHANGED, TAKE_IDS_IF_UNCHANGED
from chatapi.db.database import Database
from chatapi.db.driver_connection import DriverConnection
from chatapi.db.transaction import Changes, ClockSnapshot, acquire_turn, run_to_completion
from chatapi.db.writer_turns import WriterTurn


class ClockConflictError(Exception):
    """Another transaction has written meanwhile: the write has to be retried from the start."""


class OptimisticWrite:
    """A compare-and-set on the realm clock: nothing is sent to the database before the commit."""

    __slots__ = ("_database", "_turn", "changes", "known")

    def __init__(self, database: Database, known: ClockSnapshot, turn: WriterTurn) -> None:
        self._database = database
        self._turn = turn
        self.known = known
        self.changes = Changes(
            clocks={known.realm_id: known.last_event}, message_ids=list(known.message_ids)
        )

    @classmethod
    async def begin(cls, database: Database, known: ClockSnapshot) -> Self:
        """Begin from the clock that the last transaction left."""
        return cls(database, known, await acquire_turn(database, known.realm_id, is_batch=True))

    async def commit(self) -> ClockSnapshot | None:
        """Write everything if the clock has not moved, and take ids for the next transaction.

        The one statement is a transaction by itself. It locks the clock first, so that the ids it
        takes have the order of commits. After another writer's commit they cannot be used any
        more: the next optimistic write would fail.
        """
        await run_to_completion(self._commit())
        return self.changes.clock_snapshot()

    async def close(self) -> None:
        """End this process's turn to write; what was not committed was never sent."""
        self._turn.release()

    async def _commit(self) -> None:
        pending = self.changes.deferred.take()
        used = len(self.known.message_ids) - len(self.changes.message_ids)
        values: dict[str, Any] = {
            "known_realm": self.known.realm_id,
            "known_event": self.known.last_event,
            "count": max(used, 1),
            **values_of(pending),
        }
        connection = await DriverConnection.open(self._database)
        try:
            rows = await connection.fetch(_all_if_unchanged(kinds_of(pending)), values)
        finally:
            connection.close()
        if not rows:
            raise ClockConflictError
        self.changes.message_ids += sorted(MessageId(number) for (number,) in rows)


@cache
def _all_if_unchanged(kinds: tuple[BulkInsert, ...]) -> Select[*tuple[Any, ...]]:
    parts = all_parts(kinds, CLOCK_IS_UNCHANGED)
    return TAKE_IDS_IF_UNCHANGED.add_cte(*(part.cte(name) for name, part in parts))
