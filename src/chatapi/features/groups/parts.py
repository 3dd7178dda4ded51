"""Members and subgroups of a group: which ones are valid, and which there are."""

from collections.abc import Collection, Iterable

from chatapi.audit.entries import AuditChange, AuditKind, listed_ids
from chatapi.auth.context import Context
from chatapi.core.errors import BadRequestError
from chatapi.core.ids import GroupId, UserId
from chatapi.features.groups.access import require_active
from chatapi.features.groups.repository import GroupRepository
from chatapi.permissions.memberships import GroupMemberships


class GroupParts:
    """Validates and writes members and subgroups; callers have checked the permission."""

    def __init__(self, ctx: Context) -> None:
        self._groups = GroupRepository(ctx.db, ctx.realm.id)
        self._memberships = GroupMemberships(ctx.db, ctx.realm)

    async def check_users(self, user_ids: Collection[UserId]) -> None:
        """Refuse users who do not exist in the realm or are deactivated."""
        unknown = set(user_ids) - await self._groups.active_users_among(user_ids)
        if unknown:
            raise BadRequestError(f"Invalid user ID: {listed(unknown)}")

    async def check_subgroups(self, group_ids: Collection[GroupId]) -> None:
        """Refuse groups that do not exist in the realm or are deactivated."""
        groups = await self._groups.list_some(group_ids)
        unknown = set(group_ids) - {group.id for group in groups}
        if unknown:
            raise BadRequestError(f"Invalid user group ID: {listed(unknown)}")
        for group in groups:
            require_active(group)

    async def add_members(self, group_id: GroupId, user_ids: Collection[UserId]) -> None:
        await self.check_users(user_ids)
        present = set(user_ids) & await self._memberships.direct_members_of(group_id)
        if present:
            raise BadRequestError(f"Already a member of this group: {listed(present)}")
        await self._groups.add_members(group_id, user_ids)

    async def remove_members(self, group_id: GroupId, user_ids: Collection[UserId]) -> None:
        missing = set(user_ids) - await self._memberships.direct_members_of(group_id)
        if missing:
            raise BadRequestError(f"Not a member of this group: {listed(missing)}")
        await self._groups.remove_members(group_id, user_ids)

    async def add_subgroups(self, group_id: GroupId, subgroup_ids: Collection[GroupId]) -> None:
        await self.check_subgroups(subgroup_ids)
        present = set(subgroup_ids) & await self._groups.direct_subgroups_of(group_id)
        if present:
            raise BadRequestError(f"Already a subgroup of this group: {listed(present)}")
        around = set(subgroup_ids) & await self._memberships.supergroups_of(group_id)
        if around:
            raise BadRequestError(
                f"User group {group_id} cannot be a subgroup of itself, which it would be"
                f" through: {listed(around)}"
            )
        await self._groups.add_subgroups(group_id, subgroup_ids)

    async def remove_subgroups(self, group_id: GroupId, subgroup_ids: Collection[GroupId]) -> None:
        missing = set(subgroup_ids) - await self._groups.direct_subgroups_of(group_id)
        if missing:
            raise BadRequestError(f"Not a subgroup of this group: {listed(missing)}")
        await self._groups.remove_subgroups(group_id, subgroup_ids)


def audit_parts(ctx: Context, kind: AuditKind, group_id: GroupId, ids: Collection[int]) -> None:
    """Write an entry of the audit log about members or subgroups that were added or removed."""
    if ids:
        is_removal = kind in {AuditKind.GROUP_MEMBERS_REMOVED, AuditKind.GROUP_SUBGROUPS_REMOVED}
        parts = listed_ids(ids)
        ctx.audit(
            AuditChange(
                kind,
                group_id=group_id,
                old=parts if is_removal else None,
                new=None if is_removal else parts,
            )
        )


def listed(ids: Iterable[int]) -> str:
    return ", ".join(str(item) for item in sorted(ids))
