"""The user statuses part of the POST /register response."""

from collections.abc import Hashable

from chatapi.auth.context import Context
from chatapi.events.client import ClientProfile
from chatapi.features.state import state_section
from chatapi.features.users.status.service import UserStatusService
from chatapi.features.users.status_payloads import UserStatusesPayload
from chatapi.permissions.user_visibility import sees_all_users


def _cache_key(ctx: Context, _profile: ClientProfile) -> Hashable | None:
    return "all users" if sees_all_users(ctx.realm, ctx.user) else None


@state_section("user_status", cache_key=_cache_key)
async def load_user_statuses(ctx: Context, profile: ClientProfile) -> UserStatusesPayload:
    del profile
    return {"user_status": await UserStatusService(ctx).list_seen()}
