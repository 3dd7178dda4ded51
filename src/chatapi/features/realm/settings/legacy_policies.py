"""Permissions as the numbers that older clients know instead of groups; pure."""

from collections.abc import Mapping

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.settings import RealmPermission
from chatapi.permissions.stored import realm_permissions

_CREATE_CHANNELS = {
    SystemGroup.MEMBERS: 1,
    SystemGroup.ADMINISTRATORS: 2,
    SystemGroup.FULL_MEMBERS: 3,
    SystemGroup.MODERATORS: 4,
}
_CREATE_WEB_PUBLIC_CHANNELS = {
    SystemGroup.ADMINISTRATORS: 2,
    SystemGroup.MODERATORS: 4,
    SystemGroup.NOBODY: 6,
    SystemGroup.OWNERS: 7,
}
_MENTION_MANY_USERS = {
    SystemGroup.EVERYONE: 1,
    SystemGroup.MEMBERS: 2,
    SystemGroup.FULL_MEMBERS: 3,
    SystemGroup.ADMINISTRATORS: 5,
    SystemGroup.NOBODY: 6,
    SystemGroup.MODERATORS: 7,
}


def create_channel_policy(realm: RealmRecord, permission: RealmPermission) -> int:
    """Who may create channels: 1 members, 2 administrators, 3 full members, 4 moderators."""
    return _policy(realm, permission, _CREATE_CHANNELS, otherwise=SystemGroup.MEMBERS)


def create_web_public_channel_policy(realm: RealmRecord) -> int:
    """Who may create web-public channels: also 6 nobody, 7 owners."""
    permission = RealmPermission.CAN_CREATE_WEB_PUBLIC_CHANNEL
    return _policy(realm, permission, _CREATE_WEB_PUBLIC_CHANNELS, otherwise=SystemGroup.MODERATORS)


def wildcard_mention_policy(realm: RealmRecord) -> int:
    """Who may mention everybody in large channels: also 1 everyone, 2 members."""
    permission = RealmPermission.CAN_MENTION_MANY_USERS
    return _policy(realm, permission, _MENTION_MANY_USERS, otherwise=SystemGroup.MEMBERS)


def _policy(
    realm: RealmRecord,
    permission: RealmPermission,
    numbers: Mapping[SystemGroup, int],
    *,
    otherwise: SystemGroup,
) -> int:
    """The number of the permission's group.

    For a group without a number, that of a large group: a client must not refuse what the
    server, which decides, may allow.
    """
    value = realm_permissions(realm).permission(permission).to_wire()
    for group, number in numbers.items():
        if realm.system_groups[group] == value:
            return number
    return numbers[otherwise]
