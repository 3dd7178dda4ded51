"""Use cases: list, create and delete reminders."""

from chatapi.auth.context import Context
from chatapi.core.clock import unix_seconds
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import MessageId, ScheduledMessageId
from chatapi.features.messages.reminders.errors import ReminderDoesNotExistError
from chatapi.features.messages.reminders.events import ReminderRemoved, RemindersAdded
from chatapi.features.messages.reminders.params import RemindParams
from chatapi.features.messages.reminders.payloads import NewReminderPayload, ReminderPayload
from chatapi.features.messages.reminders.texts import text_of_request
from chatapi.features.messages.rendering import render
from chatapi.features.messages.repository import ScheduleRepository
from chatapi.features.messages.schedule_records import UNSAVED, ScheduledRecord
from chatapi.features.messages.scheduled.rules import MAX_SCHEDULED, check_time


class ReminderService:
    """The reminders of a user; they are delivered like scheduled messages."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._repository = ScheduleRepository(ctx.db, ctx.user.id, reminders=True)

    async def list_own(self) -> list[ReminderPayload]:
        """GET /reminders: by time."""
        return [_payload(record) for record in await self._repository.list_own()]

    async def add(self, params: RemindParams) -> NewReminderPayload:
        """POST /reminders: of a message that the caller may see."""
        ctx = self._ctx
        deliver_at = check_time(params.scheduled_delivery_timestamp, ctx.now())
        message_id, note = MessageId(params.message_id), (params.note or "").strip()
        content = await text_of_request(ctx, message_id, note)
        rendered = await render(ctx, content)
        await ctx.lock()
        if await self._repository.count_own() >= MAX_SCHEDULED:
            raise BadRequestError(f"Too many reminders (maximum {MAX_SCHEDULED})")
        record = await self._repository.add(
            ScheduledRecord(
                id=UNSAVED,
                realm_id=ctx.realm.id,
                owner_id=ctx.user.id,
                channel_id=None,
                topic="",
                people=[ctx.user.id],
                content=content,
                rendered_content=rendered.html,
                deliver_at=deliver_at,
                client_name=ctx.client_name,
                read_by_sender=True,
                about_message_id=message_id,
                note=note,
            )
        )
        ctx.emit_to_caller(RemindersAdded(reminders=[_payload(record)]))
        ctx.work.after_commit(ctx.runtime.deliveries.notify)
        return {"reminder_id": record.id}

    async def remove(self, reminder_id: ScheduledMessageId) -> None:
        """DELETE /reminders/{reminder_id}."""
        await self._ctx.lock()
        if not await self._repository.remove(reminder_id):
            raise ReminderDoesNotExistError
        self._ctx.emit_to_caller(ReminderRemoved(reminder_id=reminder_id))


def _payload(record: ScheduledRecord) -> ReminderPayload:
    if record.about_message_id is None:
        raise RuntimeError("a scheduled message is no reminder")
    return {
        "reminder_id": record.id,
        "type": "private",
        "to": [*record.people],
        "content": record.content,
        "rendered_content": record.rendered_content,
        "scheduled_delivery_timestamp": unix_seconds(record.deliver_at),
        "failed": record.has_failed,
        "reminder_target_message_id": record.about_message_id,
    }
