"""The presence part of the POST /register response."""

from chatapi.auth.context import Context, RealmContext
from chatapi.events.client import ClientProfile
from chatapi.features.state import public_section, state_section
from chatapi.features.users.presence.payloads import NO_PRESENCES, PresencesPayload
from chatapi.features.users.presence.service import PresenceService

_NO_UPDATE = -1


@public_section("presence", for_users=False)
async def load_no_presence(ctx: RealmContext, _profile: ClientProfile) -> PresencesPayload:
    """Visitors do not see who is there."""
    return {
        "presences": NO_PRESENCES,
        "presence_last_update_id": _NO_UPDATE,
        "server_timestamp": ctx.now().timestamp(),
    }


@state_section("presence")
async def load_presence(ctx: Context, profile: ClientProfile) -> PresencesPayload:
    return await PresenceService(ctx).list_recent(
        is_slim=profile.slim_presence, days=profile.presence_history_limit_days
    )
