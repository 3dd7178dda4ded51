"""Permissions on user groups; system groups follow from roles and cannot be changed."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId
from chatapi.features.groups.repository import GroupRepository
from chatapi.permissions.groups import is_allowed_in_group
from chatapi.permissions.memberships import GroupRecord
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.settings import GroupPermission, RealmPermission


class GroupAccess:
    """Looks up groups that the caller may change; all users may read them."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._groups = GroupRepository(ctx.db, ctx.realm.id)

    async def get_managed(self, group_id: GroupId) -> GroupRecord:
        """A group whose name, permissions and state the caller may change."""
        group = await self._groups.get(group_id)
        await self.require_any(group)
        return group

    async def get_active(self, group_id: GroupId) -> GroupRecord:
        """A group that is not deactivated; permissions are checked later."""
        group = await self._groups.get(group_id)
        require_active(group)
        return group

    async def require_any(self, group: GroupRecord, *permissions: GroupPermission) -> None:
        """Refuse a caller who has none of the permissions and does not manage the group."""
        if group.is_system_group:
            raise BadRequestError("Insufficient permission")
        for permission in (*permissions, GroupPermission.CAN_MANAGE):
            if await is_allowed_in_group(self._ctx, permission, group):
                return
        if not await is_allowed_in_realm(self._ctx, RealmPermission.CAN_MANAGE_ALL_GROUPS):
            raise BadRequestError("Insufficient permission")


def require_active(group: GroupRecord) -> None:
    if group.deactivated:
        raise BadRequestError(f"User group is deactivated: {group.name}")
