"""Checks of the permissions of a group."""

from chatapi.auth.context import Context
from chatapi.permissions.memberships import GroupRecord
from chatapi.permissions.require import is_allowed
from chatapi.permissions.settings import GroupPermission
from chatapi.permissions.stored import group_permissions


async def is_allowed_in_group(
    ctx: Context, permission: GroupPermission, group: GroupRecord
) -> bool:
    return await is_allowed(ctx, permission, group_permissions(ctx.realm, group))
