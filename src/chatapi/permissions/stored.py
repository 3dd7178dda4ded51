"""The permissions of a realm, a channel or a group: the stored values, else the defaults."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Generic

from chatapi.auth.realm_cache import RealmRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import GroupId, UserId
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.memberships import GroupRecord
from chatapi.permissions.settings import (
    ChannelPermission,
    GroupPermission,
    Permission,
    PermissionT,
    RealmPermission,
)
from chatapi.wire.group_values import GroupSettingPayload, GroupValue


@dataclass(eq=False, slots=True)
class StoredPermissions(Generic[PermissionT]):
    """The permissions of one resource; use the functions below to get those of a record."""

    kind: type[PermissionT]
    realm: RealmRecord
    stored: Mapping[str, GroupSettingPayload]
    """By name; a permission that is newer than the row is missing."""
    creator_id: UserId | None = None
    is_system_group: bool = False

    def permission(self, permission: PermissionT) -> GroupValue:
        """Returns the users and groups that have a permission."""
        value = self.stored.get(permission)
        return self._default(permission) if value is None else GroupValue.from_wire(value)

    def to_wire(self) -> Mapping[str, GroupSettingPayload]:
        """Returns the values of all permissions by name, as clients receive them."""
        stored, permissions = self.stored, _by_name(self.kind)
        if stored.keys() == permissions.keys():
            # Almost every row, and lists of channels have many.
            return stored
        return {
            name: stored[name] if name in stored else self._default(permission).to_wire()
            for name, permission in permissions.items()
        }

    def _default(self, permission: Permission) -> GroupValue:
        setting = permission.setting
        default = setting.default
        if self.is_system_group and setting.default_for_system_groups is not None:
            default = setting.default_for_system_groups
        if not isinstance(default, SystemGroup):
            if self.creator_id is not None:
                return GroupValue.of_user(self.creator_id)
            default = SystemGroup.NOBODY
        return GroupValue.of_group(GroupId(self.realm.system_groups[default]))


@cache
def _by_name(kind: type[PermissionT]) -> dict[str, PermissionT]:
    """The permissions of a kind by their plain names, computed once."""
    return {permission.value: permission for permission in kind}


def realm_permissions(realm: RealmRecord) -> StoredPermissions[RealmPermission]:
    return StoredPermissions(RealmPermission, realm, realm.settings)


def channel_permissions(
    realm: RealmRecord, channel: ChannelRecord
) -> StoredPermissions[ChannelPermission]:
    return StoredPermissions(ChannelPermission, realm, channel.settings, channel.creator_id)


def group_permissions(realm: RealmRecord, group: GroupRecord) -> StoredPermissions[GroupPermission]:
    return StoredPermissions(
        GroupPermission, realm, group.settings, group.creator_id, group.is_system_group
    )


def new_channel_permissions(
    realm: RealmRecord, creator_id: UserId
) -> StoredPermissions[ChannelPermission]:
    """The permissions of a channel for which nothing is chosen yet."""
    return StoredPermissions(ChannelPermission, realm, {}, creator_id)


def new_group_permissions(
    realm: RealmRecord, creator_id: UserId
) -> StoredPermissions[GroupPermission]:
    """The permissions of a group for which nothing is chosen yet."""
    return StoredPermissions(GroupPermission, realm, {}, creator_id)
