"""Response payloads of user groups."""

from typing import Annotated, cast

from typing_extensions import TypedDict

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.ids import GroupId, UserId
from chatapi.permissions.memberships import GroupRecord
from chatapi.permissions.payloads import (
    changed_permission_values,
    lacks_newer_permissions,
    permission_values,
)
from chatapi.permissions.settings import GroupPermission
from chatapi.permissions.stored import group_permissions
from chatapi.wire.types import UnixSeconds

_PermissionValues = permission_values(GroupPermission)
_ChangedPermissionValues = changed_permission_values(GroupPermission)


class GroupProperties(TypedDict):
    """A named set of users, beside its permissions."""

    id: int
    name: str
    description: str
    date_created: UnixSeconds | None
    creator_id: int | None
    members: list[int]
    """Direct members; those of subgroups are in the group as well."""
    direct_subgroup_ids: list[int]
    is_system_group: bool
    deactivated: bool


class UserGroupPayload(GroupProperties, _PermissionValues):  # type: ignore[misc,valid-type]  # from an enum
    """A named set of users."""


GroupInEvent = Annotated[UserGroupPayload, lacks_newer_permissions(GroupPermission)]


class ChangedGroupProperties(TypedDict, total=False):
    """The changed properties of a group, beside its permissions."""

    name: str
    description: str
    deactivated: bool


class GroupChangePayload(ChangedGroupProperties, _ChangedPermissionValues):  # type: ignore[misc,valid-type]  # from an enum
    """The changed properties of a group."""


class UserGroupsPayload(TypedDict):
    """All groups by id, system groups included."""

    user_groups: list[UserGroupPayload]


class CreatedGroupPayload(TypedDict):
    """The id of a new group."""

    group_id: int


class GroupMembersPayload(TypedDict):
    """Ids of users who are in a group."""

    members: list[int]


class GroupSubgroupsPayload(TypedDict):
    """Ids of the subgroups of a group."""

    subgroups: list[int]


class GroupMembershipPayload(TypedDict):
    """Whether one user is in a group."""

    is_user_group_member: bool


def group_payload(
    realm: RealmRecord, group: GroupRecord, members: list[UserId], subgroups: list[GroupId]
) -> UserGroupPayload:
    payload = {
        "id": group.id,
        "name": group.name,
        "description": group.description,
        "date_created": None if group.date_created is None else int(group.date_created.timestamp()),
        "creator_id": group.creator_id,
        "members": members,
        "direct_subgroup_ids": subgroups,
        "is_system_group": group.is_system_group,
        **group_permissions(realm, group).to_wire(),
        "deactivated": group.deactivated,
    }
    return cast(UserGroupPayload, payload)
