"""Every SQL statement on scheduled messages, reminders included."""

from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import asdict, replace
from sqlalchemy import ColumnElement, bindparam, delete, func, insert, select, update

from chatapi.core.ids import ScheduledMessageId, UserId
from chatapi.db.models import ScheduledMessage
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession
from chatapi.db.user_facts import OwnedRows
from chatapi.features.messages.schedule_records import ScheduledRecord

_records = RecordReader(ScheduledRecord, ScheduledMessage)
_rows = OwnedRows(ScheduledMessage.owner_id)
_is_pending = ScheduledMessage.failure.is_(None)
_NEXT_DUE = select(func.min(ScheduledMessage.deliver_at)).where(_is_pending)
_DUE = (
    _records.select()
    .where(_is_pending, ScheduledMessage.deliver_at <= bindparam("now"))
    .order_by(ScheduledMessage.deliver_at, ScheduledMessage.id)
    .limit(bindparam("limit"))
)
_OF_OWNER = (
    _records.select()
    .where(ScheduledMessage.owner_id == bindparam("owner_id"))
    .order_by(ScheduledMessage.deliver_at, ScheduledMessage.id)
)
_BY_ID = _records.select().where(ScheduledMessage.id.in_(bindparam("ids", expanding=True)))
_FORGET = delete(ScheduledMessage).where(ScheduledMessage.id.in_(bindparam("ids", expanding=True)))


class DueRepository:
    """Messages and reminders that are due, of all owners."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def find_next_due(self) -> datetime | None:
        """When the next one is due; failed ones are not due until their owner sets a new time."""
        rows = await self._db.fetch_alone(_NEXT_DUE)
        due_at: datetime | None = rows[0][0]
        return due_at

    async def list_due(self, now: datetime, limit: int) -> list[ScheduledRecord]:
        """Those due by now, in the order of their delivery times."""
        return _records.read_all(await self._db.execute(_DUE, {"now": now, "limit": limit}))

    async def list_some(
        self, ids: Iterable[ScheduledMessageId]
    ) -> dict[ScheduledMessageId, ScheduledRecord]:
        """Their current state; those that no longer exist are left out."""
        rows = await self._db.execute(_BY_ID, {"ids": list(ids)})
        return {record.id: record for record in _records.read_all(rows)}

    async def remove(self, ids: Iterable[ScheduledMessageId]) -> None:
        await self._db.execute(_FORGET, {"ids": list(ids)})

    async def change(self, record: ScheduledRecord) -> None:
        """Update the row to match a record."""
        await self._db.execute(
            update(ScheduledMessage).where(ScheduledMessage.id == record.id).values(asdict(record))
        )


class ScheduleRepository:
    """The scheduled messages, or else the reminders, of one user."""

    def __init__(self, db: DatabaseSession, owner_id: UserId, *, reminders: bool) -> None:
        self._db = db
        self._owner_id = owner_id
        self._reminders = reminders

    async def list_own(self) -> list[ScheduledRecord]:
        """Ordered by time; in a snapshot, messages and reminders are read together."""
        name = "scheduled messages and reminders"
        return [
            record
            for record in await self._db.memoize(name, self._list_all)
            if (record.about_message_id is not None) == self._reminders
        ]

    def _is_own(self) -> tuple[ColumnElement[bool], ...]:
        about = ScheduledMessage.about_message_id
        is_of_kind = about.is_not(None) if self._reminders else about.is_(None)
        return ScheduledMessage.owner_id == self._owner_id, is_of_kind

    async def _list_all(self) -> list[ScheduledRecord]:
        if not await _rows.may_exist(self._db, self._owner_id):
            return []
        return _records.read_all(await self._db.fetch(_OF_OWNER, {"owner_id": self._owner_id}))

    async def count_own(self) -> int:
        counting = select(func.count()).select_from(ScheduledMessage).where(*self._is_own())
        return (await self._db.execute(counting)).scalar_one()

    async def find(self, scheduled_id: ScheduledMessageId) -> ScheduledRecord | None:
        rows = await self._db.execute(
            _records.select().where(*self._is_own(), ScheduledMessage.id == scheduled_id)
        )
        row = rows.one_or_none()
        return None if row is None else _records.read(row)

    async def add(self, record: ScheduledRecord) -> ScheduledRecord:
        """Returns the record with its new id."""
        values = asdict(record)
        del values["id"]
        rows = await self._db.execute(
            insert(ScheduledMessage).values(values).returning(ScheduledMessage.id)
        )
        return replace(record, id=ScheduledMessageId(rows.scalar_one()))

    async def remove(self, scheduled_id: ScheduledMessageId) -> bool:
        """Returns whether there was one to remove."""
        statement = delete(ScheduledMessage).where(
            *self._is_own(), ScheduledMessage.id == scheduled_id
        )
        return (await self._db.execute(statement)).rowcount > 0
