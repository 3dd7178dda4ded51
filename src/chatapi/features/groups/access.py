"""Permissions on user groups; system groups follow from roles and cannot be changed."""

from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId
from chatapi.features.groups.repository import GroupRepository
from chatapi.permissions.memberships import GroupRecord
from chatapi.permissions.realm import is_allowed_in_realm
from chatapi.permissions.require import is_allowed
from chatapi.permissions.settings import GROUP_PERMISSIONS


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

    async def require_any(self, group: GroupRecord, *settings: str) -> None:
        """Refuse a caller whom none of the settings permits and who does not manage the group."""
        if group.is_system_group:
            raise BadRequestError("Insufficient permission")
        for name in (*settings, "can_manage_group"):
            if await is_allowed(self._ctx, GROUP_PERMISSIONS[name], group):
                return
        if not await is_allowed_in_realm(self._ctx, "can_manage_all_groups"):
            raise BadRequestError("Insufficient permission")


def require_active(group: GroupRecord) -> None:
    if group.deactivated:
        raise BadRequestError(f"User group is deactivated: {group.name}")
