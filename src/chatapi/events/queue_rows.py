"""The statements on event queues."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Integer, bindparam, delete, insert, select, update

from chatapi.core.ids import EventId, QueueId, RealmId, UserId
from chatapi.db.id_lists import is_one_of
from chatapi.db.models import EventQueueRow
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession


class QueueRecord(Struct, frozen=True):
    """One queue as stored in the database."""

    id: QueueId
    realm_id: RealmId
    user_id: UserId
    client: dict[str, Any]
    position: EventId
    idle_seconds: int
    expires_at: datetime
    epoch: int


_queues = RecordReader(QueueRecord, EventQueueRow)
_ADD = insert(EventQueueRow)
_CARRY_OVER = (
    update(EventQueueRow)
    .where(EventQueueRow.id == bindparam("queue_id"), EventQueueRow.epoch < bindparam("newest"))
    .values(epoch=bindparam("newest"))
)
_ADVANCE = (
    update(EventQueueRow)
    .where(
        EventQueueRow.id == bindparam("queue_id"),
        EventQueueRow.position < bindparam("acknowledged"),
    )
    .values(position=bindparam("acknowledged"))
)
_SURPLUS = (
    select(EventQueueRow.id)
    .where(EventQueueRow.user_id == bindparam("user_id"))
    .order_by(EventQueueRow.expires_at.desc(), EventQueueRow.id)
    .offset(bindparam("allowed", type_=Integer))
)
_row = EventQueueRow.__table__.columns
_ADD_IF_ROOM = (
    insert(EventQueueRow)
    .from_select(
        [*_row.keys()],
        select(*(bindparam(each.key, type_=each.type) for each in _row)).where(~_SURPLUS.exists()),
    )
    .returning(EventQueueRow.id)
)


class QueueRows:
    """Statements on the queues of users; they need no lock of the realm."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def add(self, queue: QueueRecord) -> None:
        await self._db.write()
        await self._db.execute(_ADD, asdict(queue))

    async def add_if_room(self, queue: QueueRecord, allowed: int) -> bool:
        """Add a queue unless its user has more than the allowed number; returns whether it did.

        It commits, and needs a session in which nothing has begun.
        """
        return bool(await self._db.write_alone(_ADD_IF_ROOM, {**asdict(queue), "allowed": allowed}))

    async def find(self, queue_id: QueueId) -> QueueRecord | None:
        rows = await self._db.execute(_queues.select().where(EventQueueRow.id == queue_id))
        row = rows.one_or_none()
        return None if row is None else _queues.read(row)

    async def list_surplus(self, user_id: UserId, allowed: int) -> list[QueueId]:
        """Return the user's queues beyond the allowed number: those that would expire first."""
        rows = await self._db.execute(_SURPLUS, {"user_id": user_id, "allowed": allowed})
        return [QueueId(queue_id) for (queue_id,) in rows]

    async def prolong(self, queue_id: QueueId, until: datetime) -> bool:
        """Extend a queue's expiry; returns False if the queue does not exist any more."""
        await self._db.write()
        changed = await self._db.execute(
            update(EventQueueRow).where(EventQueueRow.id == queue_id).values(expires_at=until)
        )
        return changed.rowcount > 0

    async def advance(self, positions: Mapping[QueueId, EventId]) -> None:
        """Write which events clients have acknowledged; no position is moved back."""
        await self._db.write()
        await self._db.execute(
            _ADVANCE,
            [
                # Sorted, to avoid deadlocks: other transactions may change the same rows.
                {"queue_id": queue_id, "acknowledged": positions[queue_id]}
                for queue_id in sorted(positions)
            ],
        )

    async def carry_over(self, queue_ids: Iterable[QueueId], epoch: int) -> None:
        """Write that queues belong to the history that this epoch continues."""
        await self._db.write()
        await self._db.execute(
            _CARRY_OVER,
            [{"queue_id": queue_id, "newest": epoch} for queue_id in sorted(queue_ids)],
        )

    async def delete(self, queue_ids: list[QueueId]) -> list[QueueId]:
        """Delete queues; returns those that existed."""
        deleted = await self._db.execute(
            delete(EventQueueRow).where(EventQueueRow.id.in_(queue_ids)).returning(EventQueueRow.id)
        )
        return [QueueId(queue_id) for (queue_id,) in deleted]

    async def delete_of_users(self, user_ids: Iterable[UserId]) -> list[QueueId]:
        deleted = await self._db.execute(
            delete(EventQueueRow)
            .where(is_one_of(EventQueueRow.user_id, "user_ids"))
            .returning(EventQueueRow.id),
            {"user_ids": list(user_ids)},
        )
        return [QueueId(queue_id) for (queue_id,) in deleted]

    async def delete_expired(self, now: datetime) -> None:
        await self._db.write()
        await self._db.execute(delete(EventQueueRow).where(EventQueueRow.expires_at < now))
