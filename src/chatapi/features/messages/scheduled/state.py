"""The scheduled messages part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.messages.schedule_payloads import ScheduledMessagesPayload
from chatapi.features.messages.scheduled.service import ScheduledMessageService
from chatapi.features.state import state_section


@state_section("scheduled_messages")
async def load_scheduled_messages(ctx: Context, profile: ClientProfile) -> ScheduledMessagesPayload:
    del profile
    return {"scheduled_messages": await ScheduledMessageService(ctx).list_own()}
