"""Endpoints of users."""

from chatapi.auth.guards import Admin, LoggedIn, MaybeAnonymous
from chatapi.core.errors import AdministratorRequiredError, OwnerRequiredError
from chatapi.core.ids import UserId
from chatapi.features.users.errors import CannotDeactivateLastUserError
from chatapi.features.users.params import UserReference
from chatapi.features.users.payloads import (
    CreatedUserPayload,
    OneUserPayload,
    OwnUserPayload,
    UsersPayload,
)
from chatapi.features.users.people.administration import UserAdministration
from chatapi.features.users.people.params import (
    ChangeUserParams,
    CreateUserParams,
    DeactivateUserParams,
    GetUserParams,
    ListUsersParams,
)
from chatapi.features.users.people.service import UserReader, UserService
from chatapi.http.operation import Revalidated
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import UserInPath

router = FeatureRouter("Users", "Who is in the organization.")


@router.get("/users")
async def get_users(ctx: MaybeAnonymous, params: ListUsersParams) -> Revalidated[UsersPayload]:
    """Get all users.

    Open to visitors without an account in organizations with public access; they see neither real
    addresses nor custom profile fields.
    """
    return await UserReader(ctx).list_users(params)


@router.post("/users")
async def create_user(ctx: Admin, params: CreateUserParams) -> CreatedUserPayload:
    """Create a user.

    For administrators. The user joins the default channels and can log in with the password at
    once; no email is sent. Clients receive a `realm_user/add` event. An address of another user,
    also of a deactivated one, is refused.
    """
    return await UserService(ctx).create(params)


@router.get("/users/me")
async def get_own_user(ctx: LoggedIn) -> OwnUserPayload:
    """Get your own user.

    Works for bots as well, and is a cheap way to check credentials.
    """
    return await UserService(ctx).get_own()


@router.delete("/users/me", responses=raises(CannotDeactivateLastUserError))
async def deactivate_own_user(ctx: LoggedIn) -> None:
    """Deactivate your own account.

    Your bots are deactivated with it; only an administrator can reactivate them and you.
    """
    await UserAdministration(ctx).deactivate_own()


@router.get("/users/{user_id_or_email}")
async def get_user(
    ctx: LoggedIn, user_id_or_email: UserReference, params: GetUserParams
) -> OneUserPayload:
    """Get a user.

    By id or by email address. A guest who sees only some users gets an error for the others, as if
    they did not exist.
    """
    return await UserReader(ctx).get(user_id_or_email, params)


@router.patch(
    "/users/{user_id_or_email}",
    responses=raises(AdministratorRequiredError, OwnerRequiredError, CannotDeactivateLastUserError),
)
async def change_user(
    ctx: LoggedIn, user_id_or_email: UserReference, params: ChangeUserParams
) -> None:
    """Change a user.

    For administrators; users can rename the bots they own. Only owners grant and revoke the role of
    owner, and the organization keeps at least one.
    """
    await UserAdministration(ctx).change(user_id_or_email, params)


@router.delete(
    "/users/{user_id_or_email}",
    responses=raises(OwnerRequiredError, CannotDeactivateLastUserError),
)
async def deactivate_user(
    ctx: Admin, user_id_or_email: UserReference, params: DeactivateUserParams
) -> None:
    """Deactivate a user.

    API keys, event queues and waiting polls of the user and of their bots end at once. Nothing they
    wrote is deleted; a request for that is refused.
    """
    await UserAdministration(ctx).deactivate(user_id_or_email, params)


@router.post("/users/{user_id:int}/reactivate", responses=raises(OwnerRequiredError))
async def reactivate_user(ctx: Admin, user_id: UserInPath) -> None:
    """Reactivate a user.

    The previous password is valid again; the previous API keys are not.
    """
    await UserAdministration(ctx).reactivate(UserId(user_id))
