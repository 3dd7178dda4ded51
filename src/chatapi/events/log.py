"""The event log: written in the transaction that emits the events, read where some were missed."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import bindparam, delete, func, insert, select, update

from chatapi.core.cooperative import map_in_steps
from chatapi.core.errors import UnknownOrganizationError
from chatapi.core.ids import EventNumber, MessageId, RealmId
from chatapi.db.bulk_writes import BulkInsertWithUpdates
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import EventRow, RealmClock
from chatapi.db.session import DatabaseSession
from chatapi.events.entry import Entry, load_entry
from chatapi.events.event import Erased, registry

_APPEND = BulkInsertWithUpdates(
    EventRow,
    ["realm_id", "number", "name", "audience", "body", "created_at", "message_id"],
    lambda new: (
        update(RealmClock).where(RealmClock.realm_id == new["realm"]).values(last_event=new["last"])
    ),
    ["realm", "last"],
)
_ERASE = (
    update(EventRow)
    .where(
        EventRow.realm_id == bindparam("realm"),
        EventRow.message_id.is_not(None),
        is_one_of(EventRow.message_id, "message_ids"),
    )
    .values(name=Erased.name(), body=Erased().model_dump_json(), message_id=None)
)
_READ_CLOCK = select(RealmClock.last_event, RealmClock.log_floor).where(
    RealmClock.realm_id == bindparam("realm")
)
_READ_POSITIONS = select(RealmClock.realm_id, RealmClock.last_event).where(
    is_one_of(RealmClock.realm_id, "realms")
)


class ClockReading(Struct, frozen=True):
    """The number of a realm's last event, and how far back its log reaches."""

    last_event: EventNumber
    log_floor: EventNumber


class EventLog:
    """The statements on the realm clock and the event log."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def start_clock(self, realm_id: RealmId) -> None:
        """Insert the clock of a new realm; call it in the transaction that creates the realm."""
        await self._db.execute(
            insert(RealmClock).values(realm_id=realm_id, last_event=0, log_floor=0)
        )

    async def append(self, realm_id: RealmId, entries: Sequence[Entry], at: datetime) -> None:
        """Write the events of one transaction; the caller has locked the realm."""
        rows = await map_in_steps(lambda entry: _row(entry, at), entries)
        last = entries[-1].number
        await self._db.queue_write(_APPEND, rows, [{"realm": realm_id, "last": last}])
        self._db.advance_clock(realm_id, last)

    async def count_events(self) -> int:
        """How many events the logs of all realms hold, as far as the clocks tell."""
        logged = func.sum(RealmClock.last_event - RealmClock.log_floor)
        return (await self._db.execute(select(logged))).scalar_one() or 0

    async def read_clock(self, realm_id: RealmId) -> ClockReading:
        """Read how far the log of a realm goes; raises an error if the realm was deleted."""
        rows = await self._db.fetch_alone(_READ_CLOCK, {"realm": realm_id})
        if not rows:
            raise UnknownOrganizationError
        last_event, log_floor = rows[0]
        return ClockReading(EventNumber(last_event), EventNumber(log_floor))

    async def read_positions(self, realm_ids: Iterable[RealmId]) -> dict[RealmId, EventNumber]:
        rows = await self._db.fetch_alone(_READ_POSITIONS, {"realms": list(realm_ids)})
        return {RealmId(realm_id): EventNumber(last_event) for realm_id, last_event in rows}

    async def read(self, realm_id: RealmId, after: EventNumber, limit: int) -> list[Entry]:
        rows = await self._db.execute(
            select(EventRow.number, EventRow.name, EventRow.audience, EventRow.body)
            .where(EventRow.realm_id == realm_id, EventRow.number > after)
            .order_by(EventRow.number)
            .limit(limit)
        )
        return await map_in_steps(lambda row: load_entry(realm_id, *row), rows.all())

    async def read_reveals(self, realm_id: RealmId, after: EventNumber) -> list[Entry]:
        """Return the events that may have shown a user to readers who did not see them before."""
        revealing = [name for name, event in registry.items() if event.reveals_users]
        rows = await self._db.execute(
            select(EventRow.number, EventRow.name, EventRow.audience, EventRow.body)
            .where(
                EventRow.realm_id == realm_id,
                EventRow.number > after,
                EventRow.name.in_(revealing),
            )
            .order_by(EventRow.number)
        )
        return await map_in_steps(lambda row: load_entry(realm_id, *row), rows.all())

    async def erase_texts(self, realm_id: RealmId, message_ids: Sequence[MessageId]) -> None:
        """Remove the texts of messages from the log, in the transaction that deletes them."""
        await self._db.execute(_ERASE, {"realm": realm_id, "message_ids": message_ids})

    async def list_realms_with_events_before(self, moment: datetime) -> list[RealmId]:
        rows = await self._db.execute(
            select(EventRow.realm_id).where(EventRow.created_at < moment).distinct()
        )
        return [RealmId(realm_id) for (realm_id,) in rows]

    async def delete_before(self, realm_id: RealmId, moment: datetime) -> None:
        """Delete old events and set the clock's `log_floor`, so that readers notice the gap."""
        newest = await self._db.execute(
            select(func.max(EventRow.number)).where(
                EventRow.realm_id == realm_id, EventRow.created_at < moment
            )
        )
        floor: int | None = newest.scalar_one()
        if floor is None:
            return
        await self._db.execute(
            update(RealmClock).where(RealmClock.realm_id == realm_id).values(log_floor=floor)
        )
        await self._db.execute(
            delete(EventRow).where(EventRow.realm_id == realm_id, EventRow.number <= floor)
        )


def _row(entry: Entry, at: datetime) -> dict[str, Any]:
    return {
        "realm_id": entry.realm_id,
        "number": entry.number,
        "name": entry.event.name(),
        "audience": entry.audience.json_text,
        "body": entry.event.model_dump_json(),
        "created_at": at,
        "message_id": entry.event.quoted_message(),
    }
