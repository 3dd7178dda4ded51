"""The permission settings of a realm."""

from chatapi.auth.context import Context
from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.ids import GroupId
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.require import is_allowed, require
from chatapi.permissions.settings import REALM_PERMISSIONS
from chatapi.wire.group_values import GroupValue


class RealmPermissions:
    """Permission settings of a realm: the stored value, or the default."""

    def __init__(self, realm: RealmRecord) -> None:
        self._realm = realm

    def permission(self, name: str) -> GroupValue:
        chosen = self._realm.settings.get(name)
        if chosen is not None:
            return GroupValue.from_wire(chosen)
        default = SystemGroup(REALM_PERMISSIONS[name].default)
        return GroupValue.of_group(GroupId(self._realm.system_groups[default]))


async def is_allowed_in_realm(ctx: Context, name: str) -> bool:
    return await is_allowed(ctx, REALM_PERMISSIONS[name], RealmPermissions(ctx.realm))


async def require_in_realm(ctx: Context, name: str) -> None:
    await require(ctx, REALM_PERMISSIONS[name], RealmPermissions(ctx.realm))
