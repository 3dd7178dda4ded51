"""Emits changes of direct group memberships that follow from a user's role or activation."""

from collections import defaultdict
from collections.abc import Iterable

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.ids import GroupId
from chatapi.core.system_groups import SystemGroup, direct_system_group
from chatapi.events.audience import Everyone
from chatapi.features.groups import GroupMembersAdded, GroupMembersRemoved
from chatapi.permissions.memberships import GroupMemberships

UserChange = tuple[UserRecord, UserRecord]
"""A user before and after a change."""


def emit_first_group(ctx: RealmContext, user: UserRecord) -> None:
    """Emit the system group of a new user."""
    ctx.emit(
        GroupMembersAdded(group_id=ctx.realm.system_groups[_group(user)], user_ids=[user.id]),
        to=Everyone(),
    )


async def emit_removed_from_groups(ctx: RealmContext, user: UserRecord) -> None:
    """Emit that a deactivated user left their groups: groups list active users only."""
    for group_id, is_deactivated in await _direct_groups(ctx, user):
        ctx.emit(
            GroupMembersRemoved(
                group_id=group_id, user_ids=[user.id], is_about_deactivated=is_deactivated
            ),
            to=Everyone(),
        )


async def emit_added_to_groups(ctx: RealmContext, user: UserRecord) -> None:
    """Emit that a reactivated user is in their previous groups again."""
    for group_id, is_deactivated in await _direct_groups(ctx, user):
        ctx.emit(
            GroupMembersAdded(
                group_id=group_id, user_ids=[user.id], is_about_deactivated=is_deactivated
            ),
            to=Everyone(),
        )


def emit_system_group_changes(ctx: RealmContext, changes: Iterable[UserChange]) -> None:
    """Emit changes of system groups, one pair of events for all users with the same change."""
    moves: defaultdict[tuple[SystemGroup, SystemGroup], list[int]] = defaultdict(list)
    for before, after in changes:
        if after.is_active and _group(before) is not _group(after):
            moves[_group(before), _group(after)].append(after.id)
    group_ids = ctx.realm.system_groups
    for (old, new), user_ids in moves.items():
        ctx.emit(
            GroupMembersRemoved(group_id=group_ids[old], user_ids=user_ids),
            to=Everyone(),
        )
        ctx.emit(GroupMembersAdded(group_id=group_ids[new], user_ids=user_ids), to=Everyone())


async def _direct_groups(ctx: RealmContext, user: UserRecord) -> list[tuple[GroupId, bool]]:
    """The user's direct groups, each with whether it is deactivated."""
    named = await GroupMemberships(ctx.db, ctx.realm).named_groups_of(user.id)
    system_group = GroupId(ctx.realm.system_groups[_group(user)])
    return [(system_group, False), *((group.id, group.deactivated) for group in named)]


def _group(user: UserRecord) -> SystemGroup:
    return direct_system_group(user.role, is_full_member=user.is_full_member)
