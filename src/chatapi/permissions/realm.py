"""Checks of the permissions of a realm."""

from chatapi.auth.context import Context
from chatapi.permissions.require import is_allowed, require
from chatapi.permissions.settings import RealmPermission
from chatapi.permissions.stored import realm_permissions


async def is_allowed_in_realm(ctx: Context, permission: RealmPermission) -> bool:
    return await is_allowed(ctx, permission, realm_permissions(ctx.realm))


async def require_in_realm(ctx: Context, permission: RealmPermission) -> None:
    await require(ctx, permission, realm_permissions(ctx.realm))
