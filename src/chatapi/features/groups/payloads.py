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
    """Names the group in requests and in permission settings."""
    name: str
    """What people write to mention it; names of system groups begin with `role:`."""
    description: str
    """Whom the group is for, as plain text; may be empty."""
    date_created: UnixSeconds | None
    """When it was created, in Unix seconds; null for system groups."""
    creator_id: int | None
    """The user who created it; null for system groups."""
    members: list[int]
    """Ids of the direct members, active ones only; members of subgroups are in the group as well.
    """
    direct_subgroup_ids: list[int]
    """Ids of the groups that are directly part of it."""
    is_system_group: bool
    """Whether it follows from roles and cannot be changed."""
    deactivated: bool
    """Whether it can no longer be mentioned or named in permissions. Only clients with
    `include_deactivated_groups` receive such groups."""


class UserGroupPayload(GroupProperties, _PermissionValues):  # type: ignore[misc,valid-type]  # from an enum
    """A named set of users."""


GroupInEvent = Annotated[UserGroupPayload, lacks_newer_permissions(GroupPermission)]


class ChangedGroupProperties(TypedDict, total=False):
    """The changed properties of a group, beside its permissions."""

    name: str
    """The new name of the group."""
    description: str
    """The new description of the group."""
    deactivated: bool
    """Whether the group is deactivated now."""


class GroupChangePayload(ChangedGroupProperties, _ChangedPermissionValues):  # type: ignore[misc,valid-type]  # from an enum
    """The changed properties of a group."""


class UserGroupsPayload(TypedDict):
    """All groups by id, system groups included."""

    user_groups: list[UserGroupPayload]
    """The groups in the order of their ids, system groups included."""


class CreatedGroupPayload(TypedDict):
    """The id of a new group."""

    group_id: int
    """The id of the new group."""


class GroupMembersPayload(TypedDict):
    """Ids of users who are in a group."""

    members: list[int]
    """Ids of the users in the group, in order."""


class GroupSubgroupsPayload(TypedDict):
    """Ids of the subgroups of a group."""

    subgroups: list[int]
    """Ids of the groups that are part of the group, in order."""


class GroupMembershipPayload(TypedDict):
    """Whether one user is in a group."""

    is_user_group_member: bool
    """Whether the user of the path is in the group of the path."""


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
