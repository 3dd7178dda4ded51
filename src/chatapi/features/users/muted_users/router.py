"""Endpoints of muted users."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import UserId
from chatapi.features.users.muted_users.service import MutedUserService
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import Id

MutedUserInPath = Annotated[
    Id, Field(description="The `user_id` of the user to mute or unmute; not yourself.")
]

router = FeatureRouter("Muted users", "People you do not want to hear from.")


@router.post("/users/me/muted_users/{muted_user_id:int}")
async def mute_user(ctx: LoggedIn, muted_user_id: MutedUserInPath) -> None:
    """Mute a user.

    Their messages, past and future, count as read for you; you can still see them. The user is not
    notified.
    """
    await MutedUserService(ctx).mute(UserId(muted_user_id))


@router.delete("/users/me/muted_users/{muted_user_id:int}")
async def unmute_user(ctx: LoggedIn, muted_user_id: MutedUserInPath) -> None:
    """Unmute a user.

    Messages that counted as read stay read. Your clients receive a `muted_users` event.
    """
    await MutedUserService(ctx).unmute(UserId(muted_user_id))
