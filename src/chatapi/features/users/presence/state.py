"""The presence part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.users.presence.payloads import PresencesPayload
from chatapi.features.users.presence.service import PresenceService


@state_section("presence")
async def load_presence(ctx: Context, profile: ClientProfile) -> PresencesPayload:
    return await PresenceService(ctx).list_recent(
        is_slim=profile.slim_presence, days=profile.presence_history_limit_days
    )
