"""Writes deliveries into a locked realm: inserts each message and removes its schedule."""

from collections.abc import Sequence
from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace

from chatapi.auth.context import RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.errors import ApiError, StaleCallerError
from chatapi.core.ids import ScheduledMessageId
from chatapi.events.audience import Users
from chatapi.events.unit_of_work import UnitOfWork
from chatapi.features.messages.deliveries.kinds import KINDS, delivery_kind_of
from chatapi.features.messages.deliveries.preparation import DeliveryRefusal, PreparedDelivery
from chatapi.features.messages.outgoing import OutgoingMessage
from chatapi.features.messages.payloads import SentPayload
from chatapi.features.messages.repository import DueRepository
from chatapi.features.messages.schedule_records import ScheduledRecord
from chatapi.features.messages.writer import MessageWriter


class Outcome(Enum):
    """The outcome of a delivery."""

    SENT = auto()
    FAILED = auto()
    GONE = auto()
    """Another process delivered it first, or its owner has changed or removed it."""


Verdict = SentPayload | DeliveryRefusal | Exception


class DeliveryWriter(Struct, frozen=True):
    """Delivers what is due in one realm; the caller has locked it.

    The lock ensures that each is delivered once: a second process finds no row any more.
    """

    runtime: Runtime
    realm: RealmRecord

    async def write(
        self, work: UnitOfWork, batch: Sequence[PreparedDelivery]
    ) -> list[Outcome | Exception]:
        """The outcome of each; an error for those that have to be prepared again."""
        waiting = await DueRepository(work.db).list_some({each.record.id for each in batch})
        due = {each.record.id: each for each in batch if waiting.get(each.record.id) == each.record}
        verdicts = await self._send(work, list(due.values()))
        await self._settle(work, [(due[each].record, verdicts[each]) for each in due])
        return [
            _outcome(verdicts[each.record.id]) if due.get(each.record.id) is each else Outcome.GONE
            for each in batch
        ]

    async def _send(
        self, work: UnitOfWork, due: Sequence[PreparedDelivery]
    ) -> dict[ScheduledMessageId, Verdict]:
        verdicts: dict[ScheduledMessageId, Verdict] = {}
        messages: dict[ScheduledMessageId, OutgoingMessage] = {}
        for each in due:
            if isinstance(each.message, OutgoingMessage):
                messages[each.record.id] = each.message
            else:
                # A refused caller may be permitted by now.
                is_stale = each.caller.is_stale
                verdicts[each.record.id] = StaleCallerError() if is_stale else each.message
        writer = MessageWriter(self.runtime, self.realm)
        written = await writer.write(work, list(messages.values()))
        for scheduled_id, result in zip(messages, written, strict=True):
            verdicts[scheduled_id] = (
                DeliveryRefusal(result.msg) if isinstance(result, ApiError) else result
            )
        return verdicts

    async def _settle(
        self, work: UnitOfWork, judged: Sequence[tuple[ScheduledRecord, Verdict]]
    ) -> None:
        """Remove what was sent, and mark what failed."""
        await self._remove(
            work,
            [
                record
                for record, verdict in judged
                if not isinstance(verdict, (DeliveryRefusal, Exception))
            ],
        )
        await self._fail(
            work,
            [
                replace(record, failure=verdict.reason)
                for record, verdict in judged
                if isinstance(verdict, DeliveryRefusal)
            ],
        )

    async def _remove(self, work: UnitOfWork, sent: Sequence[ScheduledRecord]) -> None:
        if sent:
            await DueRepository(work.db).remove(record.id for record in sent)
        for record in sent:
            event = delivery_kind_of(record).removed(record)
            work.emit(self.realm.id, event, to=Users.only(record.owner_id))

    async def _fail(self, work: UnitOfWork, failed: Sequence[ScheduledRecord]) -> None:
        for record in failed:
            await DueRepository(work.db).change(record)
        ctx = RealmContext.without_request(self.runtime, work, self.realm)
        for kind in KINDS:
            await kind.notify_failed(
                ctx, [record for record in failed if delivery_kind_of(record) is kind]
            )


def _outcome(verdict: Verdict) -> Outcome | Exception:
    if isinstance(verdict, Exception):
        return verdict
    return Outcome.FAILED if isinstance(verdict, DeliveryRefusal) else Outcome.SENT
