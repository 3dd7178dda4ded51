"""Use cases: schedule, change and delete messages to be sent later."""

from msgspec.structs import replace

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError, StaleCallerError
from chatapi.core.ids import ScheduledMessageId
from chatapi.features.messages.outgoing import OutgoingMessage, TopicTarget
from chatapi.features.messages.repository import DueRepository, ScheduleRepository
from chatapi.features.messages.schedule_payloads import ScheduledMessagePayload, ScheduledPayload
from chatapi.features.messages.schedule_records import UNSAVED, ScheduledRecord
from chatapi.features.messages.scheduled.errors import ScheduledMessageDoesNotExistError
from chatapi.features.messages.scheduled.events import (
    ScheduledMessageRemoved,
    ScheduledMessagesAdded,
    ScheduledMessageUpdated,
)
from chatapi.features.messages.scheduled.params import (
    EditScheduledMessageParams,
    ScheduleMessageParams,
)
from chatapi.features.messages.scheduled.rules import (
    MAX_SCHEDULED,
    check_time,
    edited,
    is_read_later,
)
from chatapi.features.messages.send.params import SendMessageParams
from chatapi.features.messages.send.service import MessageService
from chatapi.features.messages.writer import MessageWriter
from chatapi.rendering import without_placeholders


class ScheduledMessageService:
    """The scheduled messages of a sender.

    Users cannot schedule what they could not send: the same rules apply now and at delivery.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = ScheduleRepository(ctx.db, ctx.user.id, reminders=False)

    async def list_own(self) -> list[ScheduledMessagePayload]:
        """GET /scheduled_messages: by time, failed ones included."""
        return [record.payload() for record in await self._repository.list_own()]

    async def schedule(self, params: ScheduleMessageParams) -> ScheduledPayload:
        """POST /scheduled_messages."""
        ctx = self._ctx
        deliver_at = check_time(params.scheduled_delivery_timestamp, ctx.now())
        request = SendMessageParams(
            type=params.type,
            to=params.to,
            content=params.content,
            topic=params.topic,
            read_by_sender=params.read_by_sender,
        )
        outgoing = await MessageService(ctx).prepare(request)
        if params.read_by_sender is None:
            outgoing = replace(outgoing, read_by_sender=is_read_later(outgoing))
        await self._lock(outgoing)
        if await self._repository.count_own() >= MAX_SCHEDULED:
            raise BadRequestError(f"Too many scheduled messages (maximum {MAX_SCHEDULED})")
        new = ScheduledRecord(
            id=UNSAVED,
            realm_id=ctx.realm.id,
            owner_id=ctx.user.id,
            channel_id=None,
            topic="",
            people=[],
            content=outgoing.content,
            rendered_content=without_placeholders(outgoing.rendered.html),
            deliver_at=deliver_at,
            client_name=outgoing.client_name,
            read_by_sender=outgoing.read_by_sender,
        )
        record = await self._repository.add(_addressed(new, outgoing))
        self._ctx.emit_to_caller(ScheduledMessagesAdded(scheduled_messages=[record.payload()]))
        ctx.work.after_commit(ctx.runtime.deliveries.notify)
        return {"scheduled_message_id": record.id}

    async def edit(
        self, scheduled_id: ScheduledMessageId, params: EditScheduledMessageParams
    ) -> None:
        """PATCH /scheduled_messages/{scheduled_message_id}: only what is passed changes."""
        before = await self._get(scheduled_id)
        changed = before
        if params.scheduled_delivery_timestamp is not None:
            deliver_at = check_time(params.scheduled_delivery_timestamp, self._ctx.now())
            changed = replace(changed, deliver_at=deliver_at, failure=None)
        elif before.has_failed:
            raise BadRequestError(
                "Missing 'scheduled_delivery_timestamp' argument: the message could not be sent"
            )
        outgoing = await MessageService(self._ctx).prepare(edited(before, params))
        changed = _addressed(
            replace(
                changed,
                content=outgoing.content,
                rendered_content=without_placeholders(outgoing.rendered.html),
            ),
            outgoing,
        )
        await self._lock(outgoing)
        if await self._get(scheduled_id) != before:
            # It was changed by another client: start over with its current state.
            raise StaleCallerError
        if changed == before:
            return
        await DueRepository(self._ctx.db).change(changed)
        self._ctx.emit_to_caller(ScheduledMessageUpdated(scheduled_message=changed.payload()))
        self._ctx.work.after_commit(self._ctx.runtime.deliveries.notify)

    async def remove(self, scheduled_id: ScheduledMessageId) -> None:
        """DELETE /scheduled_messages/{scheduled_message_id}."""
        await self._ctx.lock()
        if not await self._repository.remove(scheduled_id):
            raise ScheduledMessageDoesNotExistError
        self._ctx.emit_to_caller(ScheduledMessageRemoved(scheduled_message_id=scheduled_id))

    async def _get(self, scheduled_id: ScheduledMessageId) -> ScheduledRecord:
        record = await self._repository.find(scheduled_id)
        if record is None:
            raise ScheduledMessageDoesNotExistError
        return record

    async def _lock(self, outgoing: OutgoingMessage) -> None:
        """Lock the realm, and refuse a message that could not be sent now."""
        await self._ctx.lock()
        writer = MessageWriter(self._ctx.runtime, self._ctx.realm)
        await writer.check(self._ctx.work, outgoing)


def _addressed(record: ScheduledRecord, outgoing: OutgoingMessage) -> ScheduledRecord:
    """The record with the conversation of its message."""
    to = outgoing.to
    if isinstance(to, TopicTarget):
        return replace(record, channel_id=to.channel.record.id, topic=to.topic, people=[])
    others = [person.id for person in to.people if person.id != record.owner_id]
    return replace(record, channel_id=None, topic="", people=others or [record.owner_id])
