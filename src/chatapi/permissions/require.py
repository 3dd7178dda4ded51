"""The permission check: is the caller in the group that a setting names?"""

from typing import Protocol

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.readers import groups_of_reader
from chatapi.permissions.settings import PermissionSetting
from chatapi.wire.group_values import GroupValue


class HasPermissions(Protocol):
    """An object with permission settings: a realm, a channel, a group."""

    def permission(self, name: str) -> GroupValue: ...


async def is_allowed(ctx: Context, setting: PermissionSetting, guarded: HasPermissions) -> bool:
    """Whether a setting includes the caller; only the first call costs a statement."""
    if ctx.user.role is Role.GUEST and not setting.allows(SystemGroup.EVERYONE):
        # A setting that may not be `role:everyone` does not apply to guests through another group
        # either.
        return False
    groups = await groups_of_reader(ctx)
    return guarded.permission(setting.name).includes(ctx.user.id, groups)


async def require(ctx: Context, setting: PermissionSetting, guarded: HasPermissions) -> None:
    """Raise an error if the setting does not include the caller."""
    if not await is_allowed(ctx, setting, guarded):
        raise BadRequestError("Insufficient permission")
