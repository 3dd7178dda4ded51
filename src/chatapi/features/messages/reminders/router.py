"""Endpoints of reminders."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import ScheduledMessageId
from chatapi.features.messages.reminders.errors import ReminderDoesNotExistError
from chatapi.features.messages.reminders.params import RemindParams
from chatapi.features.messages.reminders.payloads import NewReminderPayload, RemindersPayload
from chatapi.features.messages.reminders.service import ReminderService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

router = FeatureRouter("Reminders", "Messages you want to be told of again.")


@router.get("/reminders")
async def get_reminders(ctx: LoggedIn) -> RemindersPayload:
    """Get your reminders."""
    return {"reminders": await ReminderService(ctx).list_own()}


@router.post("/reminders")
async def create_reminder(ctx: LoggedIn, params: RemindParams) -> NewReminderPayload:
    """Create a reminder of a message.

    At the given time the notification bot sends you the message, if you may still see it.
    """
    return await ReminderService(ctx).add(params)


@router.delete("/reminders/{reminder_id:int}", responses=raises(ReminderDoesNotExistError))
async def delete_reminder(ctx: LoggedIn, reminder_id: Id) -> None:
    """Remove a reminder before it is delivered."""
    await ReminderService(ctx).remove(ScheduledMessageId(reminder_id))
