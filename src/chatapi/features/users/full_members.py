"""Keeps the full-member flag up to date with the time and the realm's waiting period."""

from datetime import datetime, timedelta

from msgspec.structs import replace

from chatapi.auth.context import RealmContext
from chatapi.core.ids import GroupId, RealmId
from chatapi.core.system_groups import SystemGroup
from chatapi.db.session import DatabaseSession
from chatapi.features.groups import emit_group_visibility_change
from chatapi.features.users.group_events import emit_system_group_changes
from chatapi.features.users.repository import FullMemberRepository


async def recount_full_members(ctx: RealmContext) -> None:
    """Recompute the flag of all users by the current waiting period, also when it just changed."""
    await ctx.lock()
    waiting = FullMemberRepository(ctx.db)
    days = await waiting.get_waiting_days(ctx.realm.id)
    is_over_since = ctx.now() - timedelta(days=days)
    changed = await waiting.recount(ctx.realm.id, joined_until=is_over_since)
    emit_system_group_changes(
        ctx, [(replace(user, is_full_member=not user.is_full_member), user) for user in changed]
    )
    if changed:
        group_id = GroupId(ctx.realm.system_groups[SystemGroup.FULL_MEMBERS])
        await emit_group_visibility_change(ctx, group_id, [user.id for user in changed])


async def list_realms_to_recount(db: DatabaseSession, now: datetime) -> list[RealmId]:
    """Realms in which a user's waiting period has ended; found without locking any realm."""
    waiting = await FullMemberRepository(db).list_longest_waits()
    return [wait.realm_id for wait in waiting if wait.joined_at + timedelta(days=wait.days) <= now]
