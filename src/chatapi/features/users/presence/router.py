"""Endpoints of presence."""

from chatapi.auth.guards import LoggedIn
from chatapi.features.users.params import UserReference
from chatapi.features.users.presence.params import PingParams
from chatapi.features.users.presence.payloads import (
    OnePresencePayload,
    PingPayload,
    RealmPresencesPayload,
)
from chatapi.features.users.presence.service import PresenceService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Presence", "Who is there at the moment.")


@router.post("/users/me/presence")
async def update_presence(ctx: LoggedIn, params: PingParams) -> PingPayload:
    """Report that you are online, and get the presence of others.

    Call it once a minute; `POST /register` returns the interval. Your presence is hidden while your
    setting `presence_enabled` is off.
    """
    return await PresenceService(ctx).ping(params)


@router.get("/users/{user_id_or_email}/presence")
async def get_user_presence(ctx: LoggedIn, user_id_or_email: UserReference) -> OnePresencePayload:
    """Get the presence of a user.

    Refused for bots, which have none, for deactivated users, and for users who were never seen.
    """
    return await PresenceService(ctx).get(user_id_or_email)


@router.get("/realm/presence")
async def get_realm_presence(ctx: LoggedIn) -> RealmPresencesPayload:
    """Get the presence of all users.

    Keyed by email, for older clients; users who were not seen in the last two weeks are left out.
    `POST /users/me/presence` returns the same and less each time.
    """
    return await PresenceService(ctx).list_by_email()
