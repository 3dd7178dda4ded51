"""Use cases: read and change the members and subgroups of a group."""

from collections.abc import Iterable
from typing import TypeVar

from chatapi.audit.entries import AuditKind
from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId, UserId
from chatapi.events.audience import Everyone
from chatapi.features.groups.access import GroupAccess
from chatapi.features.groups.events import (
    GroupMembersAdded,
    GroupMembersRemoved,
    SubgroupsAdded,
    SubgroupsRemoved,
)
from chatapi.features.groups.params import (
    ChangeMembersParams,
    ChangeSubgroupsParams,
    ReadMembersParams,
    ReadSubgroupsParams,
)
from chatapi.features.groups.parts import GroupParts, audit_parts, listed
from chatapi.features.groups.payloads import (
    GroupMembershipPayload,
    GroupMembersPayload,
    GroupSubgroupsPayload,
)
from chatapi.features.groups.repository import GroupRepository
from chatapi.features.groups.visibility_events import emit_group_visibility_change
from chatapi.permissions.memberships import GroupMemberships, GroupRecord
from chatapi.permissions.settings import GroupPermission
from chatapi.permissions.user_visibility import user_visibility

IdT = TypeVar("IdT", bound=int)


class MembershipReader:
    """Reads members of groups; open to all users, as far as they may see the members."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._groups = GroupRepository(ctx.db, ctx.realm.id)
        self._memberships = GroupMemberships(ctx.db, ctx.realm)

    async def list_members(
        self, group_id: GroupId, params: ReadMembersParams
    ) -> GroupMembersPayload:
        """Includes members of subgroups, unless the caller requests direct ones."""
        await self._groups.get(group_id)
        if params.direct_member_only:
            members = await self._memberships.direct_members_of(group_id)
        else:
            members = await self._memberships.members_of([group_id])
        return {"members": [*(await user_visibility(self._ctx)).among(sorted(members))]}

    async def list_subgroups(
        self, group_id: GroupId, params: ReadSubgroupsParams
    ) -> GroupSubgroupsPayload:
        """Includes subgroups of subgroups, unless the caller requests direct ones."""
        await self._groups.get(group_id)
        if params.direct_subgroup_only:
            subgroups = await self._groups.direct_subgroups_of(group_id)
        else:
            subgroups = await self._memberships.subgroups_of([group_id]) - {group_id}
        return {"subgroups": sorted(subgroups)}

    async def has_member(
        self, group_id: GroupId, user_id: UserId, params: ReadMembersParams
    ) -> GroupMembershipPayload:
        """Whether one user is in a group; deactivated users are in none."""
        await self._groups.get(group_id)
        user = await self._groups.get_user(user_id)
        if not (await user_visibility(self._ctx)).can_see(user):
            raise BadRequestError("No such user")
        if params.direct_member_only:
            is_member = user.id in await self._memberships.direct_members_of(group_id)
        else:
            is_member = user.is_active and group_id in await self._memberships.groups_of(user)
        return {"is_user_group_member": is_member}


class MembershipService:
    """Changes members and subgroups: all that is requested, or nothing."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._access = GroupAccess(ctx)
        self._parts = GroupParts(ctx)

    async def change_subgroups(self, group_id: GroupId, params: ChangeSubgroupsParams) -> None:
        """Add and remove subgroups of a group."""
        await self.change_members(
            group_id, ChangeMembersParams(add_subgroups=params.add, delete_subgroups=params.delete)
        )

    async def change_members(self, group_id: GroupId, params: ChangeMembersParams) -> None:
        """Add and remove users and subgroups in one step."""
        await self._ctx.lock()
        group = await self._access.get_active(group_id)
        _check_changes(params)
        await self._require_rights(group, params)
        # Remove first: a group that was a subgroup may then contain the other group.
        await self._remove_members(group, _distinct(map(UserId, params.delete)))
        await self._remove_subgroups(group, _distinct(map(GroupId, params.delete_subgroups)))
        await self._add_members(group, _distinct(map(UserId, params.add)))
        await self._add_subgroups(group, _distinct(map(GroupId, params.add_subgroups)))

    async def _require_rights(self, group: GroupRecord, params: ChangeMembersParams) -> None:
        """Permissions to add or remove single users also cover whole groups of users."""
        oneself = {self._ctx.user.id}
        if params.add or params.add_subgroups:
            joins = not params.add_subgroups and set(params.add) == oneself
            more = [GroupPermission.CAN_JOIN] if joins else []
            await self._access.require_any(group, GroupPermission.CAN_ADD_MEMBERS, *more)
        if params.delete or params.delete_subgroups:
            leaves = not params.delete_subgroups and set(params.delete) == oneself
            more = [GroupPermission.CAN_LEAVE] if leaves else []
            await self._access.require_any(group, GroupPermission.CAN_REMOVE_MEMBERS, *more)

    async def _add_members(self, group: GroupRecord, user_ids: list[UserId]) -> None:
        if user_ids:
            await self._parts.add_members(group.id, user_ids)
            event = GroupMembersAdded(group_id=group.id, user_ids=[*user_ids])
            self._ctx.emit(event, to=Everyone())
            audit_parts(self._ctx, AuditKind.GROUP_MEMBERS_ADDED, group.id, user_ids)
            await emit_group_visibility_change(self._ctx, group.id, user_ids)

    async def _remove_members(self, group: GroupRecord, user_ids: list[UserId]) -> None:
        if user_ids:
            await self._parts.remove_members(group.id, user_ids)
            event = GroupMembersRemoved(group_id=group.id, user_ids=[*user_ids])
            self._ctx.emit(event, to=Everyone())
            audit_parts(self._ctx, AuditKind.GROUP_MEMBERS_REMOVED, group.id, user_ids)
            await emit_group_visibility_change(self._ctx, group.id, user_ids)

    async def _add_subgroups(self, group: GroupRecord, group_ids: list[GroupId]) -> None:
        if group_ids:
            await self._parts.add_subgroups(group.id, group_ids)
            event = SubgroupsAdded(group_id=group.id, direct_subgroup_ids=[*group_ids])
            self._ctx.emit(event, to=Everyone())
            audit_parts(self._ctx, AuditKind.GROUP_SUBGROUPS_ADDED, group.id, group_ids)
            await self._emit_visibility_of_members(group, group_ids)

    async def _remove_subgroups(self, group: GroupRecord, group_ids: list[GroupId]) -> None:
        if group_ids:
            await self._parts.remove_subgroups(group.id, group_ids)
            event = SubgroupsRemoved(group_id=group.id, direct_subgroup_ids=[*group_ids])
            self._ctx.emit(event, to=Everyone())
            audit_parts(self._ctx, AuditKind.GROUP_SUBGROUPS_REMOVED, group.id, group_ids)
            await self._emit_visibility_of_members(group, group_ids)

    async def _emit_visibility_of_members(
        self, group: GroupRecord, subgroup_ids: list[GroupId]
    ) -> None:
        """Emit for all members of the subgroups, who joined or left the group with them."""
        members = await GroupMemberships(self._ctx.db, self._ctx.realm).members_of(subgroup_ids)
        await emit_group_visibility_change(self._ctx, group.id, members)


def _check_changes(params: ChangeMembersParams) -> None:
    if not (params.add or params.delete or params.add_subgroups or params.delete_subgroups):
        raise BadRequestError("Nothing to do: there is nobody to add or to delete")
    both = {*params.add} & {*params.delete} | {*params.add_subgroups} & {*params.delete_subgroups}
    if both:
        raise BadRequestError(f"Cannot be added and deleted at once: {listed(both)}")


def _distinct(ids: Iterable[IdT]) -> list[IdT]:
    return sorted(set(ids))
