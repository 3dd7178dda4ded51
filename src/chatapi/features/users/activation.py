"""Deactivates and reactivates accounts; callers have checked the permission."""

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.roles import Role
from chatapi.features.channels import add_to_subscriber_counts, remove_from_subscriber_counts
from chatapi.features.users.api_keys import revoke_access
from chatapi.features.users.bot_event_emitter import emit_bot_added
from chatapi.features.users.errors import CannotDeactivateLastUserError
from chatapi.features.users.events import UserUpdated
from chatapi.features.users.group_events import emit_added_to_groups, emit_removed_from_groups
from chatapi.features.users.repository import UserRepository
from chatapi.permissions.user_visibility import user_visible_to


async def deactivate_user(ctx: RealmContext, user: UserRecord) -> None:
    """Deactivate a user and the user's bots: their keys and queues end with the commit."""
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    current = await users.get(user.id)
    if not current.is_active:
        return
    if await is_only_owner(users, current):
        raise CannotDeactivateLastUserError(is_last_owner=True, entity="organization owner")
    for ended in (current, *await users.list_active_bots(of=current.id)):
        await _end(ctx, ended)


async def reactivate_user(ctx: RealmContext, user: UserRecord) -> None:
    """Reactivate a user; old API keys stay invalid, the password stays valid."""
    await ctx.lock()
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, is_active=True)
    ctx.emit(UserUpdated(person={"user_id": user.id, "is_active": True}), to=user_visible_to(user))
    ctx.audit(AuditChange(AuditKind.USER_REACTIVATED, user_id=user.id))
    await emit_added_to_groups(ctx, user)
    await add_to_subscriber_counts(ctx, user)
    if user.is_bot:
        await emit_bot_added(ctx, user)


async def is_only_owner(users: UserRepository, user: UserRecord) -> bool:
    """Whether a user, read under the lock, is the last active owner who is not a bot."""
    is_owner = user.role is Role.OWNER and user.is_active and not user.is_bot
    return is_owner and await users.count_active_owners() == 1


async def _end(ctx: RealmContext, user: UserRecord) -> None:
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, is_active=False)
    await revoke_access(ctx, user.id)
    ctx.emit(UserUpdated(person={"user_id": user.id, "is_active": False}), to=user_visible_to(user))
    ctx.audit(AuditChange(AuditKind.USER_DEACTIVATED, user_id=user.id))
    await emit_removed_from_groups(ctx, user)
    await remove_from_subscriber_counts(ctx, user)
