"""Optimistic writes: they take the clock from the last transaction. On PostgreSQL only."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncConnection

from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.db.bulk_writes import BulkInsert, PendingWrite, all_parts, kinds_of, values_of
from chatapi.db.clocks import CLOCK_IS_UNCHANGED, TAKE_IDS_IF_UNCHANGED
from chatapi.db.driver_sql import execute_on_driver


@dataclass(frozen=True)
class ClockSnapshot:
    """A realm's clock after a transaction, and the message ids it took and did not use.

    It is valid until another transaction writes in the realm; an optimistic write checks that.
    """

    realm_id: RealmId
    last_event: EventNumber
    message_ids: Sequence[MessageId]


class ClockConflictError(Exception):
    """Another transaction has written meanwhile: the write has to be retried from the start."""


@dataclass(frozen=True)
class OptimisticWrite:
    """A compare-and-set on the realm clock, on a connection without a transaction."""

    known: ClockSnapshot
    connection: AsyncConnection

    async def write(self, pending: Sequence[PendingWrite], message_ids: int) -> list[MessageId]:
        """Write everything if the clock has not moved, and take ids for the next transaction.

        The one statement is a transaction by itself. It locks the clock first, so that the ids it
        takes have the order of commits. After another writer's commit they cannot be used any
        more: the next optimistic write would fail.
        """
        values: dict[str, Any] = {
            "known_realm": self.known.realm_id,
            "known_event": self.known.last_event,
            "count": message_ids,
            **values_of(pending),
        }
        rows = await execute_on_driver(
            self.connection, _all_if_unchanged(kinds_of(pending)), values
        )
        if not rows:
            raise ClockConflictError
        return sorted(MessageId(number) for (number,) in rows)


@cache
def _all_if_unchanged(kinds: tuple[BulkInsert, ...]) -> Select[*tuple[Any, ...]]:
    parts = all_parts(kinds, CLOCK_IS_UNCHANGED)
    return TAKE_IDS_IF_UNCHANGED.add_cte(*(part.cte(name) for name, part in parts))
