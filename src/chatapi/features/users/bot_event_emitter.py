"""Emits events about a bot to its owner and the administrators, who know the active bots.

The audience lists them one by one, since a client may read an event long after it, in another role.
"""

from chatapi.auth.context import RealmContext
from chatapi.auth.users import UserRecord
from chatapi.core.ids import UserId
from chatapi.core.roles import Role
from chatapi.events.audience import Users
from chatapi.features.users.bot_events import BotAdded, BotDeleted, BotUpdated
from chatapi.features.users.bot_payloads import BotPayload
from chatapi.features.users.bot_rules import bot_payload
from chatapi.features.users.repository import BotServiceRepository, UserRepository


async def emit_bot_added(ctx: RealmContext, bot: UserRecord) -> None:
    ctx.emit(BotAdded(bot=await _payload(ctx, bot)), to=await _managers(ctx, bot))


async def emit_bot_updated(ctx: RealmContext, bot: UserRecord) -> None:
    ctx.emit(BotUpdated(bot=await _payload(ctx, bot)), to=await _managers(ctx, bot))


async def emit_bot_owner_changed(
    ctx: RealmContext, bot: UserRecord, old_owner: UserRecord | None, new_owner: UserRecord
) -> None:
    """Administrators know the bot before and after; an owner only while owning it."""
    if not bot.is_active:
        return
    payload = await _payload(ctx, bot)
    if old_owner is not None and not old_owner.role.at_least(Role.ADMIN):
        ctx.emit(BotDeleted(bot={"user_id": bot.id}), to=Users.only(old_owner.id))
    if not new_owner.role.at_least(Role.ADMIN):
        ctx.emit(BotAdded(bot=payload), to=Users.only(new_owner.id))
    ctx.emit(BotUpdated(bot=payload), to=Users(ids=await _administrators(ctx)))


async def emit_bots_for_new_role(ctx: RealmContext, user: UserRecord, role: Role) -> None:
    """A user who becomes an administrator, or no longer is one, knows more bots or fewer."""
    is_admin = role.at_least(Role.ADMIN)
    if is_admin is user.role.at_least(Role.ADMIN):
        return
    bots = await UserRepository(ctx.db, ctx.realm.id).list_active_bots()
    services = await BotServiceRepository(ctx.db).list_of(bots)
    for bot in bots:
        if bot.bot_owner_id == user.id:
            continue
        payload = bot_payload(bot, services.get(bot.id))
        news = BotAdded(bot=payload) if is_admin else BotDeleted(bot={"user_id": bot.id})
        ctx.emit(news, to=Users.only(user.id))


async def _payload(ctx: RealmContext, bot: UserRecord) -> BotPayload:
    services = await BotServiceRepository(ctx.db).list_of([bot])
    return bot_payload(bot, services.get(bot.id))


async def _managers(ctx: RealmContext, bot: UserRecord) -> Users:
    owners = frozenset() if bot.bot_owner_id is None else frozenset({bot.bot_owner_id})
    return Users(ids=owners | await _administrators(ctx))


async def _administrators(ctx: RealmContext) -> frozenset[UserId]:
    return await UserRepository(ctx.db, ctx.realm.id).list_administrators()
