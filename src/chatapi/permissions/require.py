"""The permission check: is the caller in the group that a setting names?"""

from typing import Protocol

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.readers import groups_of_reader
from chatapi.permissions.settings import PermissionT, PermissionT_contra
from chatapi.wire.group_values import GroupValue


class HasPermissions(Protocol[PermissionT_contra]):
    """The permissions of a realm, a channel or a group."""

    def permission(self, permission: PermissionT_contra, /) -> GroupValue: ...


async def is_allowed(
    ctx: Context, permission: PermissionT, guarded: HasPermissions[PermissionT]
) -> bool:
    """Whether a permission includes the caller; only the first call costs a statement."""
    if ctx.user.role is Role.GUEST and not permission.setting.allows(SystemGroup.EVERYONE):
        # A setting that may not be `role:everyone` does not apply to guests through another group
        # either.
        return False
    groups = await groups_of_reader(ctx)
    return guarded.permission(permission).includes(ctx.user.id, groups)


async def require(
    ctx: Context, permission: PermissionT, guarded: HasPermissions[PermissionT]
) -> None:
    """Raise an error if the permission does not include the caller."""
    if not await is_allowed(ctx, permission, guarded):
        raise BadRequestError("Insufficient permission")
