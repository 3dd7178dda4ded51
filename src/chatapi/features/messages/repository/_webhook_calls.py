"""Every SQL statement on calls of the services of bots."""

from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec import Struct
from sqlalchemy import bindparam, delete, func, insert, select, update

from chatapi.core.ids import MessageId, RealmId, UserId
from chatapi.db.models import OutgoingWebhookCall
from chatapi.db.records import RecordReader
from chatapi.db.session import DatabaseSession


class NewWebhookCall(Struct, frozen=True):
    """A call to be made."""

    realm_id: RealmId
    bot_id: UserId
    message_id: MessageId
    trigger: str
    traceparent: str | None


class WebhookCallRecord(Struct, frozen=True):
    """A row of the table of calls."""

    id: int
    realm_id: RealmId
    bot_id: UserId
    message_id: MessageId
    trigger: str
    tries: int
    due_at: datetime
    traceparent: str | None


_records = RecordReader(WebhookCallRecord, OutgoingWebhookCall)
_NEXT_DUE = select(func.min(OutgoingWebhookCall.due_at))
_DUE = (
    _records.select()
    .where(
        OutgoingWebhookCall.due_at <= bindparam("now"),
        OutgoingWebhookCall.bot_id.not_in(bindparam("busy", expanding=True)),
    )
    .order_by(OutgoingWebhookCall.due_at, OutgoingWebhookCall.id)
    .limit(bindparam("most"))
)


class WebhookCallRepository:
    """Calls of all realms: the service itself makes them."""

    def __init__(self, db: DatabaseSession) -> None:
        self._db = db

    async def add(self, calls: Sequence[NewWebhookCall], now: datetime) -> None:
        await self._db.execute(
            insert(OutgoingWebhookCall),
            [
                {
                    "realm_id": call.realm_id,
                    "bot_id": call.bot_id,
                    "message_id": call.message_id,
                    "trigger": call.trigger,
                    "traceparent": call.traceparent,
                    "tries": 0,
                    "due_at": now,
                }
                for call in calls
            ],
        )

    async def find_next_due(self) -> datetime | None:
        rows = await self._db.fetch_alone(_NEXT_DUE)
        due_at: datetime | None = rows[0][0]
        return due_at

    async def list_due(
        self, now: datetime, most: int, busy: Collection[UserId]
    ) -> list[WebhookCallRecord]:
        """The calls that are due first, except those of busy bots."""
        values = {"now": now, "most": most, "busy": list(busy)}
        return _records.read_all(await self._db.execute(_DUE, values))

    async def claim(self, call: WebhookCallRecord, until: datetime) -> bool:
        """Postpone a call, so that no other process makes it meanwhile; False if one was faster."""
        rows = await self._db.execute(
            update(OutgoingWebhookCall)
            .where(
                OutgoingWebhookCall.id == call.id,
                OutgoingWebhookCall.tries == call.tries,
                OutgoingWebhookCall.due_at == call.due_at,
            )
            .values(tries=call.tries + 1, due_at=until)
        )
        return rows.rowcount == 1

    async def postpone(self, call: WebhookCallRecord, until: datetime) -> None:
        """Try a call that was claimed again later."""
        await self._db.execute(
            update(OutgoingWebhookCall)
            .where(OutgoingWebhookCall.id == call.id, OutgoingWebhookCall.tries == call.tries)
            .values(due_at=until)
        )

    async def remove(self, call: WebhookCallRecord) -> bool:
        """Delete a call that was claimed; False if another process has claimed it since."""
        rows = await self._db.execute(
            delete(OutgoingWebhookCall).where(
                OutgoingWebhookCall.id == call.id, OutgoingWebhookCall.tries == call.tries
            )
        )
        return rows.rowcount == 1
