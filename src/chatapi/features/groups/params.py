"""Parameters of the user group endpoints."""

from typing import Annotated

from pydantic import Field

from chatapi.features.groups.rules import MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH
from chatapi.permissions.changes import permission_change_params, permission_params
from chatapi.permissions.settings import GroupPermission
from chatapi.wire.params import Params, with_example
from chatapi.wire.types import Id

_MAX_IDS = 10_000

GroupName = Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["marketing"])]
GroupDescription = Annotated[
    str, Field(max_length=MAX_DESCRIPTION_LENGTH, examples=["Everybody who talks to customers."])
]
Ids = Annotated[list[Id], Field(max_length=_MAX_IDS)]


_PermissionParams = permission_params(GroupPermission)
_PermissionChanges = permission_change_params(GroupPermission)


class CreateGroupParams(_PermissionParams):  # type: ignore[misc,valid-type]  # from an enum
    """SPEC 4.8, POST /user_groups/create."""

    model_config = with_example(
        name="marketing", description="Everybody who talks to customers.", members=[2]
    )

    name: GroupName
    description: GroupDescription
    members: Ids = Field(description="Ids of the first members.")
    subgroups: Ids = Field(
        default=[], description="Ids of groups whose members are in the new one as well."
    )


class ChangeGroupParams(_PermissionChanges):  # type: ignore[misc,valid-type]  # from an enum
    """SPEC 4.7, PATCH /user_groups/{user_group_id}: what is not passed stays unchanged."""

    name: GroupName | None = None
    description: GroupDescription | None = None
    deactivated: bool | None = Field(
        default=None, description="`false` reactivates the group; `true` has no effect."
    )


class ListGroupsParams(Params):
    """GET /user_groups."""

    include_deactivated_groups: bool = False


class ChangeSubgroupsParams(Params):
    """POST /user_groups/{user_group_id}/subgroups: all of it or nothing."""

    model_config = with_example(add=[1])

    add: Ids = Field(default=[], description="Ids of groups that become part of this one.")
    delete: Ids = Field(default=[], description="Ids of groups that are no longer part of it.")


class ChangeMembersParams(Params):
    """POST /user_groups/{user_group_id}/members: all of it or nothing."""

    model_config = with_example(add=[2])

    add: Ids = Field(default=[], description="Ids of users who become members.")
    delete: Ids = Field(default=[], description="Ids of users who are no longer members.")
    add_subgroups: Ids = Field(
        default=[], description="Ids of groups that become part of this one."
    )
    delete_subgroups: Ids = Field(
        default=[], description="Ids of groups that are no longer part of it."
    )


class ReadMembersParams(Params):
    """GET /user_groups/{user_group_id}/members, of one user or of all."""

    direct_member_only: bool = Field(
        default=False, description="Whether members of subgroups are left out."
    )


class ReadSubgroupsParams(Params):
    """GET /user_groups/{user_group_id}/subgroups."""

    direct_subgroup_only: bool = Field(
        default=False, description="Whether subgroups of subgroups are left out."
    )
