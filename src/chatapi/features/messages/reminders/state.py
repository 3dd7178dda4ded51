"""The reminders part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.messages.reminders.payloads import RemindersPayload
from chatapi.features.messages.reminders.service import ReminderService
from chatapi.features.state import state_section


@state_section("reminders")
async def load_reminders(ctx: Context, profile: ClientProfile) -> RemindersPayload:
    del profile
    return {"reminders": await ReminderService(ctx).list_own()}
