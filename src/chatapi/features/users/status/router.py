"""Endpoints of user statuses."""

from chatapi.auth.guards import Admin, LoggedIn
from chatapi.core.ids import UserId
from chatapi.features.users.status.params import ChangeOwnStatusParams, ChangeUserStatusParams
from chatapi.features.users.status.service import UserStatusService
from chatapi.features.users.status_payloads import OneUserStatusPayload
from chatapi.http.route import FeatureRouter
from chatapi.wire.types import UserInPath

router = FeatureRouter("User status", "What people say about themselves.")


@router.post("/users/me/status")
async def change_own_status(ctx: LoggedIn, params: ChangeOwnStatusParams) -> None:
    """Change your status.

    What is not passed stays unchanged; an empty text or emoji name clears it. `away` is deprecated:
    it changes your setting `presence_enabled`.
    """
    await UserStatusService(ctx).change_own(params)


@router.post("/users/{user_id:int}/status")
async def change_user_status(
    ctx: Admin, user_id: UserInPath, params: ChangeUserStatusParams
) -> None:
    """Change the status of another user.

    For administrators. What is not passed stays unchanged; an empty text or emoji name clears it.
    Clients receive a `user_status` event.
    """
    await UserStatusService(ctx).change_of(UserId(user_id), params)


@router.get("/users/{user_id:int}/status")
async def get_user_status(ctx: LoggedIn, user_id: UserInPath) -> OneUserStatusPayload:
    """Get the status of a user.

    `POST /register` with `user_status` returns the statuses of all users at once.
    """
    return await UserStatusService(ctx).get(UserId(user_id))
