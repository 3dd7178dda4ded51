"""Endpoints of reminders."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import ScheduledMessageId
from chatapi.features.messages.reminders.errors import ReminderDoesNotExistError
from chatapi.features.messages.reminders.params import RemindParams
from chatapi.features.messages.reminders.payloads import NewReminderPayload, RemindersPayload
from chatapi.features.messages.reminders.service import ReminderService
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

ReminderInPath = Annotated[Id, Field(description="The `reminder_id` of a reminder of yours.")]

router = FeatureRouter("Reminders", "Messages you want to be told of again.")


@router.get("/reminders")
async def get_reminders(ctx: LoggedIn) -> RemindersPayload:
    """Get your reminders.

    Those that are still to come, by time.
    """
    return {"reminders": await ReminderService(ctx).list_own()}


@router.post("/reminders")
async def create_reminder(ctx: LoggedIn, params: RemindParams) -> NewReminderPayload:
    """Create a reminder of a message.

    At the given time the notification bot sends you the message, if you may still see it.
    """
    return await ReminderService(ctx).add(params)


@router.delete("/reminders/{reminder_id:int}", responses=raises(ReminderDoesNotExistError))
async def delete_reminder(ctx: LoggedIn, reminder_id: ReminderInPath) -> None:
    """Remove a reminder.

    Only before it is delivered. Your clients receive a `reminders/remove` event.
    """
    await ReminderService(ctx).remove(ScheduledMessageId(reminder_id))
