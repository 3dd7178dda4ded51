"""Endpoints of muted users."""

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import UserId
from chatapi.features.users.muted_users.service import MutedUserService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

router = FeatureRouter("Muted users", "People you do not want to hear from.")


@router.post("/users/me/muted_users/{muted_user_id:int}")
async def mute_user(ctx: LoggedIn, muted_user_id: Id) -> None:
    """Mute a user.

    Their messages, past and future, count as read for you; you can still see them. The user is not
    notified.
    """
    await MutedUserService(ctx).mute(UserId(muted_user_id))


@router.delete("/users/me/muted_users/{muted_user_id:int}")
async def unmute_user(ctx: LoggedIn, muted_user_id: Id) -> None:
    """Unmute a user; messages that counted as read stay read."""
    await MutedUserService(ctx).unmute(UserId(muted_user_id))
