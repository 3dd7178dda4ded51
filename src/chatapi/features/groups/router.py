"""Endpoints of user groups."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn
from chatapi.core.ids import GroupId, UserId
from chatapi.features.groups.errors import CannotDeactivateGroupInUseError
from chatapi.features.groups.listing import GroupReader
from chatapi.features.groups.membership import MembershipReader, MembershipService
from chatapi.features.groups.params import (
    ChangeGroupParams,
    ChangeMembersParams,
    ChangeSubgroupsParams,
    CreateGroupParams,
    ListGroupsParams,
    ReadMembersParams,
    ReadSubgroupsParams,
)
from chatapi.features.groups.payloads import (
    CreatedGroupPayload,
    GroupMembershipPayload,
    GroupMembersPayload,
    GroupSubgroupsPayload,
    UserGroupsPayload,
)
from chatapi.features.groups.service import GroupService
from chatapi.http.route import FeatureRouter, raises
from chatapi.permissions.errors import ExpectationMismatchError
from chatapi.wire.types import Id, UserInPath

GroupInPath = Annotated[Id, Field(description="The group, by its `id` in `GET /user_groups`.")]

router = FeatureRouter(
    "User groups", "Named sets of people, to mention and to give permissions to."
)


@router.post("/user_groups/create")
async def create_user_group(ctx: LoggedIn, params: CreateGroupParams) -> CreatedGroupPayload:
    """Create a user group.

    Needs the permission `can_create_groups`. You manage the group and may add members to it, unless
    you choose other users for that. Subgroups need no permission.
    """
    return await GroupService(ctx).create(params)


@router.get("/user_groups")
async def get_user_groups(ctx: LoggedIn, params: ListGroupsParams) -> UserGroupsPayload:
    """Get all user groups.

    Including system groups, which follow from roles and whose names begin with `role:`. Guests who
    see only some users get groups without the others.
    """
    reader = GroupReader(ctx)
    groups = await reader.list_groups(include_deactivated=params.include_deactivated_groups)
    return {"user_groups": groups}


@router.patch("/user_groups/{user_group_id:int}", responses=raises(ExpectationMismatchError))
async def change_user_group(
    ctx: LoggedIn, user_group_id: GroupInPath, params: ChangeGroupParams
) -> None:
    """Change or reactivate a user group.

    For members of its `can_manage_group` and of the organization's `can_manage_all_groups`. A
    permission is changed by `{"new": ..., "old": ...}`; pass `old` to be refused if another user
    changed it before you. A group is reactivated only if none of its subgroups and none of the
    groups named in its permissions is deactivated.
    """
    await GroupService(ctx).change(GroupId(user_group_id), params)


@router.post(
    "/user_groups/{user_group_id:int}/deactivate",
    responses=raises(CannotDeactivateGroupInUseError),
)
async def deactivate_user_group(ctx: LoggedIn, user_group_id: GroupInPath) -> None:
    """Deactivate a user group.

    Until it is reactivated it cannot be mentioned, named in a permission or made a subgroup of
    another group. Where it is in use, the response says where.
    """
    await GroupService(ctx).deactivate(GroupId(user_group_id))


@router.post("/user_groups/{user_group_id:int}/members")
async def change_user_group_members(
    ctx: LoggedIn, user_group_id: GroupInPath, params: ChangeMembersParams
) -> None:
    """Add and remove members and subgroups of a user group.

    Adding is for members of `can_add_members_group`, removing for members of
    `can_remove_members_group`, both for users who manage the group; adding or removing only
    yourself also for members of `can_join_group` and `can_leave_group`. Either everything is done
    or, if one part is refused, nothing.
    """
    await MembershipService(ctx).change_members(GroupId(user_group_id), params)


@router.get("/user_groups/{user_group_id:int}/members")
async def get_user_group_members(
    ctx: LoggedIn, user_group_id: GroupInPath, params: ReadMembersParams
) -> GroupMembersPayload:
    """Get the members of a user group.

    Those of its subgroups included, unless `direct_member_only` is passed. Deactivated users are
    left out.
    """
    return await MembershipReader(ctx).list_members(GroupId(user_group_id), params)


@router.get("/user_groups/{user_group_id:int}/members/{user_id:int}")
async def get_user_group_membership(
    ctx: LoggedIn, user_group_id: GroupInPath, user_id: UserInPath, params: ReadMembersParams
) -> GroupMembershipPayload:
    """Find out whether a user is in a user group.

    Members of its subgroups are in it, unless `direct_member_only` is passed. Deactivated users are
    in no group.
    """
    reader = MembershipReader(ctx)
    return await reader.has_member(GroupId(user_group_id), UserId(user_id), params)


@router.post("/user_groups/{user_group_id:int}/subgroups")
async def change_user_group_subgroups(
    ctx: LoggedIn, user_group_id: GroupInPath, params: ChangeSubgroupsParams
) -> None:
    """Add and remove subgroups of a user group.

    The permissions are those of adding and removing members. A group can never be a subgroup of
    itself, not even indirectly.
    """
    await MembershipService(ctx).change_subgroups(GroupId(user_group_id), params)


@router.get("/user_groups/{user_group_id:int}/subgroups")
async def get_user_group_subgroups(
    ctx: LoggedIn, user_group_id: GroupInPath, params: ReadSubgroupsParams
) -> GroupSubgroupsPayload:
    """Get the subgroups of a user group.

    Those of its subgroups included, unless `direct_subgroup_only` is passed.
    """
    return await MembershipReader(ctx).list_subgroups(GroupId(user_group_id), params)
