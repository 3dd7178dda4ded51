"""How a reminder is delivered."""

from collections.abc import Sequence

from msgspec.structs import replace

from chatapi.auth.context import Context, RealmContext
from chatapi.core.ids import MessageId
from chatapi.events.event import Event
from chatapi.features.messages.notices import compose_notice, to_person
from chatapi.features.messages.outgoing import OutgoingMessage
from chatapi.features.messages.reminders.events import ReminderRemoved
from chatapi.features.messages.reminders.texts import text_of_reminder
from chatapi.features.messages.rendering import render
from chatapi.features.messages.schedule_records import ScheduledRecord
from chatapi.features.users import notification_bot


class ReminderDelivery:
    """The parts of a delivery that are specific to reminders."""

    async def compose(self, ctx: Context, record: ScheduledRecord) -> OutgoingMessage:
        """A message of the notification bot, which may mention what its reader may mention."""
        message_id = MessageId(record.about_message_id or 0)
        content = await text_of_reminder(ctx, message_id, record.note)
        rendered = await render(ctx, content)
        bot = await notification_bot(ctx.db, ctx.realm.id)
        notice = compose_notice(bot, to_person(bot, ctx.user), content, rendered)
        # What the reader may see was checked; it holds as long as the caller is not stale.
        return replace(notice, caller=ctx.caller)

    def removed(self, record: ScheduledRecord) -> Event:
        return ReminderRemoved(reminder_id=record.id)

    async def notify_failed(self, ctx: RealmContext, records: Sequence[ScheduledRecord]) -> None:
        """Clients see the failure in the list; there is no event about it."""
        del ctx, records
