"""Restarts clients for which channels or mentions change because a group changed."""

from collections.abc import Collection

from chatapi.auth.context import RealmContext
from chatapi.core.ids import GroupId, UserId
from chatapi.events.restarts import restart_clients
from chatapi.features.channels import names_any_group
from chatapi.features.groups.repository import GroupRepository
from chatapi.permissions.memberships import GroupMemberships


async def emit_group_visibility_change(
    ctx: RealmContext, group_id: GroupId, user_ids: Collection[UserId]
) -> None:
    """Restart the clients of users who joined or left a group that channels or messages name.

    Private channels and messages can name groups. Which channels and mentions change for which user
    would have to be computed; the change is rare enough to restart instead.
    """
    groups = await GroupMemberships(ctx.db, ctx.realm).supergroups_of(group_id)
    if await names_any_group(ctx, groups) or await _mentions_any(ctx, group_id, groups):
        await restart_clients(ctx.work, ctx.realm.id, user_ids)


async def _mentions_any(ctx: RealmContext, group_id: GroupId, groups: Collection[GroupId]) -> bool:
    """Whether a message mentions the group, or a group containing it that not all users are in."""
    around = set(groups) - {GroupId(each) for each in ctx.realm.system_groups.values()}
    return await GroupRepository(ctx.db, ctx.realm.id).is_mentioned({group_id, *around})
