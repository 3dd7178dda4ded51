"""The one question: is this person in the group a setting names?"""

from typing import Protocol

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.readers import groups_of_reader
from chatapi.permissions.settings import PermissionSetting
from chatapi.wire.group_values import GroupValue


class HasPermissions(Protocol):
    """Something whose settings say who may do what with it: a realm, a channel, a group."""

    def permission(self, name: str) -> GroupValue: ...


async def is_allowed(ctx: Context, setting: PermissionSetting, guarded: HasPermissions) -> bool:
    """Whether the caller is named by a setting; costs no statement after the first time."""
    if ctx.user.role is Role.GUEST and not setting.allows(SystemGroup.EVERYONE):
        # What cannot be given to everyone is not given to guests in a roundabout way either.
        return False
    groups = await groups_of_reader(ctx)
    return guarded.permission(setting.name).includes(ctx.user.id, groups)


async def require(ctx: Context, setting: PermissionSetting, guarded: HasPermissions) -> None:
    """Refuse a caller whom the setting does not name."""
    if not await is_allowed(ctx, setting, guarded):
        raise BadRequestError("Insufficient permission")
