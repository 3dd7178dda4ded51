"""Endpoints of users."""

from chatapi.auth.guards import Admin, Caller, MaybeAnonymous
from chatapi.features.users import state  # noqa: F401 (adds its section to POST /register)
from chatapi.features.users.params import (
    CreateUserParams,
    GetUserParams,
    GetUsersParams,
    UserReference,
)
from chatapi.features.users.payloads import (
    CreatedUserPayload,
    OneUserPayload,
    OwnUserPayload,
    UsersPayload,
)
from chatapi.features.users.service import UserReader, UserService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Users", "Who is in the organization.")


@router.get("/users")
async def get_users(ctx: MaybeAnonymous, params: GetUsersParams) -> UsersPayload:
    """Get all users.

    Open to people without an account in organizations with public access; they see neither
    real addresses nor custom profile fields.
    """
    return await UserReader(ctx).list_users(params)


@router.post("/users")
async def create_user(ctx: Admin, params: CreateUserParams) -> CreatedUserPayload:
    """Create a user."""
    return await UserService(ctx).create(params)


@router.get("/users/me")
async def get_own_user(ctx: Caller) -> OwnUserPayload:
    """Get your own user."""
    return await UserService(ctx).get_own()


@router.get("/users/{user_id_or_email}")
async def get_user(
    ctx: Caller, user_id_or_email: UserReference, params: GetUserParams
) -> OneUserPayload:
    """Get a user."""
    return await UserReader(ctx).get(user_id_or_email, params)
