"""Response payloads of user groups."""

from typing import cast

from typing_extensions import TypedDict

from chatapi.core.ids import GroupId, UserId
from chatapi.permissions.memberships import GroupRecord
from chatapi.wire.group_values import GroupSettingPayload
from chatapi.wire.types import UnixSeconds


class UserGroupPayload(TypedDict):
    """A named set of users."""

    id: int
    name: str
    description: str
    date_created: UnixSeconds | None
    creator_id: int | None
    members: list[int]
    """Direct members; those of subgroups are in the group as well."""
    direct_subgroup_ids: list[int]
    is_system_group: bool
    can_add_members_group: GroupSettingPayload
    can_join_group: GroupSettingPayload
    can_leave_group: GroupSettingPayload
    can_manage_group: GroupSettingPayload
    can_mention_group: GroupSettingPayload
    can_remove_members_group: GroupSettingPayload
    deactivated: bool


class GroupChangePayload(TypedDict, total=False):
    """The changed properties of a group."""

    name: str
    description: str
    can_add_members_group: GroupSettingPayload
    can_join_group: GroupSettingPayload
    can_leave_group: GroupSettingPayload
    can_manage_group: GroupSettingPayload
    can_mention_group: GroupSettingPayload
    can_remove_members_group: GroupSettingPayload
    deactivated: bool


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
    group: GroupRecord, members: list[UserId], subgroups: list[GroupId]
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
        # Stored as they are shown, by the names of the permissions.
        **group.settings,
        "deactivated": group.deactivated,
    }
    return cast(UserGroupPayload, payload)
