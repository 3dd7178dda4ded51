"""Changes to bots; callers have checked the permission."""

from msgspec.structs import replace

from chatapi.audit.entries import AuditChange, AuditKind
from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.events.audience import Users
from chatapi.features.users.api_keys import revoke_access
from chatapi.features.users.bot_event_emitter import emit_bot_owner_changed
from chatapi.features.users.changes import apply_role
from chatapi.features.users.events import UserUpdated
from chatapi.features.users.group_events import emit_system_group_changes
from chatapi.features.users.repository import UserRepository
from chatapi.features.users.visibility_events import user_added, user_removed
from chatapi.permissions.user_visibility import sees_all_users, user_visible_to, visible_pairs


async def give_bot(ctx: RealmContext, bot: UserRecord, new_owner: UserRecord) -> UserRecord:
    """Change the owner of a bot.

    Its credentials are revoked, so that the previous owner can no longer act as the bot, and its
    role is at most that of its new owner.
    """
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    old_owner = None if bot.bot_owner_id is None else await users.find(bot.bot_owner_id)
    await users.change(bot.id, bot_owner_id=new_owner.id)
    given = replace(bot, bot_owner_id=new_owner.id)
    if not sees_all_users(ctx.realm, new_owner):
        ctx.emit(user_added(ctx, given), to=Users.only(new_owner.id))
    ctx.emit(
        UserUpdated(person={"user_id": bot.id, "bot_owner_id": new_owner.id}),
        to=user_visible_to(given),
    )
    ctx.audit(
        AuditChange(
            AuditKind.BOT_OWNER_CHANGED,
            user_id=bot.id,
            old=bot.bot_owner_id,
            new=new_owner.id,
        )
    )
    await emit_bot_owner_changed(ctx, given, old_owner, new_owner)
    if old_owner is not None and not sees_all_users(ctx.realm, old_owner):
        await _emit_hidden(ctx, bot, old_owner)
    await revoke_access(ctx, bot.id)
    return await _limit_to_owner(ctx, given, new_owner)


async def _emit_hidden(ctx: RealmContext, bot: UserRecord, old_owner: UserRecord) -> None:
    """A restricted guest sees a bot that is no longer theirs only where others see it."""
    if not await visible_pairs(ctx.db, [old_owner.id], [bot.id]):
        ctx.emit(user_removed(bot, frozenset({old_owner.id})), to=Users.only(old_owner.id))


async def _limit_to_owner(ctx: RealmContext, bot: UserRecord, owner: UserRecord) -> UserRecord:
    role = bot.role.capped_at(owner.role)
    if role is not bot.role:
        await apply_role(ctx, bot, role)
        bot = replace(bot, role=role)
    if bot.is_full_member and not owner.is_full_member:
        limited = replace(bot, is_full_member=False)
        await UserRepository(ctx.db, ctx.realm.id).change(bot.id, is_full_member=False)
        emit_system_group_changes(ctx, [(bot, limited)])
        bot = limited
    return bot
