"""The system group a user is directly in, told to everybody when it is another one."""

from collections import defaultdict
from collections.abc import Iterable

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.core.system_groups import SystemGroup, direct_system_group
from chatapi.events.audience import Everyone
from chatapi.features.user_groups.events import GroupMembersAdded, GroupMembersRemoved

Standing = tuple[UserRecord, UserRecord]
"""A user before and after a change."""


def tell_first_group(ctx: RealmContext, user: UserRecord) -> None:
    """A new user is in a group from the start."""
    ctx.emit(
        GroupMembersAdded(group_id=ctx.realm.system_groups[_group(user)], user_ids=[user.id]),
        to=Everyone(),
    )


def tell_moves(ctx: RealmContext, changes: Iterable[Standing]) -> None:
    """Who moved from one group to another, one pair of events for all who moved alike."""
    moves: defaultdict[tuple[SystemGroup, SystemGroup], list[int]] = defaultdict(list)
    for before, after in changes:
        if _group(before) is not _group(after):
            moves[_group(before), _group(after)].append(after.id)
    group_ids = ctx.realm.system_groups
    for (old, new), user_ids in moves.items():
        ctx.emit(
            GroupMembersRemoved(group_id=group_ids[old], user_ids=user_ids),
            to=Everyone(),
        )
        ctx.emit(GroupMembersAdded(group_id=group_ids[new], user_ids=user_ids), to=Everyone())


def _group(user: UserRecord) -> SystemGroup:
    return direct_system_group(user.role, is_full_member=user.is_full_member)
