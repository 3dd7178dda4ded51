"""The user statuses part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.user_status.payloads import UserStatusesPayload
from chatapi.features.user_status.service import UserStatusService


@state_section("user_status")
async def load_user_statuses(ctx: Context, profile: ClientProfile) -> UserStatusesPayload:
    del profile
    return {"user_status": await UserStatusService(ctx).list_seen()}
