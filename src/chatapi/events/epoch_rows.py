"""The statements on epochs."""

from datetime import datetime

from sqlalchemy import bindparam, delete, func, insert, literal, select

from chatapi.core.ids import EventNumber, RealmId
from chatapi.db.models import Epoch, EpochStart, EventQueueRow, RealmClock
from chatapi.db.session import DatabaseSession

_BEFORE_ALL_EVENTS = -1
_NEWEST = select(func.max(Epoch.id))
_EARLIEST_START = select(func.min(EpochStart.last_event)).where(
    EpochStart.epoch_id > bindparam("epoch"), EpochStart.realm_id == bindparam("realm")
)
_oldest_in_use = select(func.min(EventQueueRow.epoch)).scalar_subquery()
_UNUSED = select(Epoch.id).where(
    Epoch.id < _NEWEST.scalar_subquery(),
    Epoch.id <= func.coalesce(_oldest_in_use, _NEWEST.scalar_subquery()),
)


class EpochRows:
    """Epochs, and the last event of each realm's log when they began."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def add(self, now: datetime, *, trusts_queues: bool) -> int:
        """Insert a new epoch; one that trusts no queue begins before all events."""
        await self._db.write()
        added = await self._db.execute(insert(Epoch).values(began_at=now).returning(Epoch.id))
        epoch: int = added.scalar_one()
        position = RealmClock.last_event if trusts_queues else literal(_BEFORE_ALL_EVENTS)
        await self._db.execute(
            insert(EpochStart).from_select(
                ["epoch_id", "realm_id", "last_event"],
                select(literal(epoch), RealmClock.realm_id, position),
            )
        )
        return epoch

    async def find_newest(self) -> int:
        [(newest,)] = await self._db.fetch_alone(_NEWEST)
        return newest or 0

    async def find_earliest_start(self, after: int, realm_id: RealmId) -> EventNumber:
        """Return the lowest last event that the epochs after the given one began with."""
        rows = await self._db.execute(_EARLIEST_START, {"epoch": after, "realm": realm_id})
        start: int | None = rows.scalar_one()
        return EventNumber(_BEFORE_ALL_EVENTS if start is None else start)

    async def delete_unused(self) -> None:
        """Delete the epochs that all queues have been carried over to, or beyond."""
        await self._db.write()
        unused = (await self._db.execute(_UNUSED)).scalars().all()
        if unused:
            await self._db.execute(delete(EpochStart).where(EpochStart.epoch_id.in_(unused)))
            await self._db.execute(delete(Epoch).where(Epoch.id.in_(unused)))
