"""Parameters of the user group endpoints."""

from typing import Annotated

from pydantic import Field

from chatapi.features.groups.rules import MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH
from chatapi.permissions.changes import permission_change_params, permission_params
from chatapi.permissions.settings import GroupPermission
from chatapi.wire.params import Params
from chatapi.wire.types import Id

_MAX_IDS = 10_000

GroupName = Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
GroupDescription = Annotated[
    str, Field(max_length=MAX_DESCRIPTION_LENGTH, examples=["Everybody who talks to customers."])
]
Ids = Annotated[list[Id], Field(max_length=_MAX_IDS)]


_PermissionParams = permission_params(GroupPermission)
_PermissionChanges = permission_change_params(GroupPermission)


class CreateGroupParams(_PermissionParams):  # type: ignore[misc,valid-type]  # from an enum
    """SPEC 4.8, POST /user_groups/create."""

    name: GroupName
    """What people write to mention the group; must differ from other groups in more than case."""
    description: GroupDescription
    """Whom the group is for, as plain text; may be empty."""
    members: Ids
    """Ids of the first members. You are not one of them unless you name yourself."""
    subgroups: Ids = Field(default=[])
    """Ids of groups whose members are in the new one as well."""


class ChangeGroupParams(_PermissionChanges):  # type: ignore[misc,valid-type]  # from an enum
    """SPEC 4.7, PATCH /user_groups/{user_group_id}: what is not passed stays unchanged."""

    name: GroupName | None = None
    """Replaces the name; must differ from other groups in more than case."""
    description: GroupDescription | None = None
    """Replaces the description; may be empty."""
    deactivated: bool | None = None
    """False reactivates the group; true has no effect (`POST
    /user_groups/{user_group_id}/deactivate` does it)."""


class ListGroupsParams(Params):
    """GET /user_groups."""

    include_deactivated_groups: bool = False
    """Whether deactivated groups are listed, too."""


class ChangeSubgroupsParams(Params):
    """POST /user_groups/{user_group_id}/subgroups: all of it or nothing."""

    add: Ids = Field(default=[])
    """Ids of groups that become part of this one."""
    delete: Ids = Field(default=[])
    """Ids of groups that are no longer part of it."""


class ChangeMembersParams(Params):
    """POST /user_groups/{user_group_id}/members: all of it or nothing."""

    add: Ids = Field(default=[])
    """Ids of users who become direct members."""
    delete: Ids = Field(default=[])
    """Ids of users who are no longer direct members."""
    add_subgroups: Ids = Field(default=[])
    """Ids of groups that become part of this one."""
    delete_subgroups: Ids = Field(default=[])
    """Ids of groups that are no longer part of it."""


class ReadMembersParams(Params):
    """GET /user_groups/{user_group_id}/members, of one user or of all."""

    direct_member_only: bool = False
    """Whether users who are in the group only by a subgroup are left out."""


class ReadSubgroupsParams(Params):
    """GET /user_groups/{user_group_id}/subgroups."""

    direct_subgroup_only: bool = False
    """Whether subgroups of subgroups are left out."""
