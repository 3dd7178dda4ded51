"""The user statuses part of the POST /register response."""

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.users.status.service import UserStatusService
from chatapi.features.users.status_payloads import UserStatusesPayload


@state_section("user_status")
async def load_user_statuses(ctx: Context, profile: ClientProfile) -> UserStatusesPayload:
    del profile
    return {"user_status": await UserStatusService(ctx).list_seen()}
