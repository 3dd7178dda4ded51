"""Every SQL statement on moves that are under way."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import and_, bindparam, delete, func, insert, or_, select, update

from chatapi.core.ids import ChannelId, ConversationId, MessageId, RealmId, UserId
from chatapi.core.names import name_key
from chatapi.db.models import PendingMove
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession


class NewPendingMove(Struct, frozen=True):
    """What a request leaves to be moved."""

    realm_id: RealmId
    mover_id: UserId
    propagate_mode: str
    source_channel_id: ChannelId
    conversation_id: ConversationId
    since: MessageId | None
    up_to: MessageId
    subscription_periods: list[list[Any]] | None
    """Each as the fields of a SubscriptionPeriod."""
    target_channel_id: ChannelId
    topic: str
    adds_exceptions: bool
    due_at: datetime


class PendingMoveRecord(NewPendingMove, frozen=True):
    """A row of the table of moves that are under way."""

    id: int


class TopicLocation(Struct, frozen=True):
    """A topic, which has a conversation if it has messages."""

    channel_id: ChannelId
    topic: str
    conversation_id: ConversationId | None


_records = RecordReader(PendingMoveRecord, PendingMove)
_NEXT_DUE = select(func.min(PendingMove.due_at))
_DUE = (
    _records.select()
    .where(PendingMove.due_at <= bindparam("now"))
    .order_by(PendingMove.due_at, PendingMove.id)
)
_BY_ID = PendingMove.id == bindparam("pending_move_id")
_ONE = _records.select().where(_BY_ID)
_PROGRESS = (
    update(PendingMove)
    .where(_BY_ID)
    .values(up_to=bindparam("new_up_to"), due_at=bindparam("new_due_at"))
)
_DELETE = delete(PendingMove).where(_BY_ID)


class PendingMoveRepository:
    """Moves of all realms: the service itself continues them."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def add(self, move: NewPendingMove) -> None:
        values = {**asdict(move), "topic_key": name_key(move.topic)}
        await self._db.execute(insert(PendingMove).values(values))

    async def find_next_due(self) -> datetime | None:
        rows = await self._db.fetch_alone(_NEXT_DUE)
        due_at: datetime | None = rows[0][0]
        return due_at

    async def list_due(self, now: datetime) -> list[PendingMoveRecord]:
        """The moves that no process continues at the moment."""
        return _records.read_all(await self._db.execute(_DUE, {"now": now}))

    async def find(self, pending_move_id: int) -> PendingMoveRecord | None:
        rows = await self._db.execute(_ONE, {"pending_move_id": pending_move_id})
        row = rows.one_or_none()
        return None if row is None else _records.read(row)

    async def store_progress(
        self, pending_move_id: int, up_to: MessageId, due_at: datetime
    ) -> None:
        """Store what is left, and when another process may take over."""
        values = {"pending_move_id": pending_move_id, "new_up_to": up_to, "new_due_at": due_at}
        await self._db.execute(_PROGRESS, values)

    async def remove(self, pending_move_id: int) -> None:
        await self._db.execute(_DELETE, {"pending_move_id": pending_move_id})

    async def concerns_any(self, topics: Sequence[TopicLocation]) -> bool:
        """Whether messages are still being moved from or to one of the topics."""
        is_target = or_(
            *(
                and_(
                    PendingMove.target_channel_id == topic.channel_id,
                    PendingMove.topic_key == name_key(topic.topic),
                )
                for topic in topics
            )
        )
        sources = [each.conversation_id for each in topics if each.conversation_id is not None]
        rows = await self._db.execute(
            select(PendingMove.id)
            .where(or_(PendingMove.conversation_id.in_(sources), is_target))
            .limit(1)
        )
        return rows.first() is not None
