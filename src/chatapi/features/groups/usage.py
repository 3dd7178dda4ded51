"""Finds where a group is in use, which prevents its deactivation; pure.

Each place that can name groups has a function here and a kind of objection in errors.py.
"""

from collections.abc import Iterable, Mapping

from chatapi.auth.realm_cache import RealmRecord
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import GroupId
from chatapi.features.groups.errors import (
    ChannelObjection,
    GroupObjection,
    Objection,
    RealmObjection,
    SubgroupObjection,
)
from chatapi.permissions.memberships import GroupRecord
from chatapi.permissions.settings import PermissionT
from chatapi.permissions.stored import (
    StoredPermissions,
    channel_permissions,
    group_permissions,
    realm_permissions,
)


def find_objections(
    group: GroupRecord,
    active_groups: Iterable[GroupRecord],
    direct_subgroups: Mapping[GroupId, list[GroupId]],
    realm: RealmRecord,
    channels: Iterable[ChannelRecord],
) -> list[Objection]:
    """Everything that still uses a group; its own permissions do not count."""
    others = [other for other in active_groups if other.id != group.id]
    return [
        *_in_groups(group.id, others, direct_subgroups),
        *_in_permissions_of_groups(group.id, others, realm),
        *_in_permissions_of_realm(group.id, realm),
        *_in_permissions_of_channels(group.id, channels, realm),
    ]


def _in_groups(
    group_id: GroupId,
    others: Iterable[GroupRecord],
    direct_subgroups: Mapping[GroupId, list[GroupId]],
) -> Iterable[SubgroupObjection]:
    around = [other.id for other in others if group_id in direct_subgroups.get(other.id, ())]
    if around:
        yield {"type": "subgroup", "supergroup_ids": [*around]}


def _in_permissions_of_groups(
    group_id: GroupId, others: Iterable[GroupRecord], realm: RealmRecord
) -> Iterable[GroupObjection]:
    for other in others:
        settings = _settings_naming(group_id, group_permissions(realm, other))
        if settings:
            yield {"type": "user_group", "group_id": other.id, "settings": settings}


def _in_permissions_of_realm(group_id: GroupId, realm: RealmRecord) -> Iterable[RealmObjection]:
    settings = _settings_naming(group_id, realm_permissions(realm))
    if settings:
        yield {"type": "realm", "settings": settings}


def _in_permissions_of_channels(
    group_id: GroupId, channels: Iterable[ChannelRecord], realm: RealmRecord
) -> Iterable[ChannelObjection]:
    """Archived channels count: they can be unarchived."""
    for channel in channels:
        settings = _settings_naming(group_id, channel_permissions(realm, channel))
        if settings:
            yield {"type": "channel", "channel_id": channel.id, "settings": settings}


def _settings_naming(group_id: GroupId, values: StoredPermissions[PermissionT]) -> list[str]:
    """Whether the group is named alone or among others makes no difference."""
    return [each.value for each in values.kind if group_id in values.permission(each).subgroups]
