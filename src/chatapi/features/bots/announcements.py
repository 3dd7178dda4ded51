"""Who is told what about a bot: its owner and the administrators know the active ones."""

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.core.roles import Role
from chatapi.events.audience import AtLeast, Users, UsersAndAbove
from chatapi.features.bots.events import BotAdded, BotDeleted, BotRemoved, BotUpdated
from chatapi.features.bots.rules import bot_payload
from chatapi.features.users.repository import UserRepository


def tell_bot_added(ctx: RealmContext, bot: UserRecord) -> None:
    ctx.emit(BotAdded(bot=bot_payload(bot)), to=_managers(bot))


def tell_bot_removed(ctx: RealmContext, bot: UserRecord) -> None:
    ctx.emit(
        BotRemoved(bot={"user_id": bot.id, "full_name": bot.full_name}),
        to=_managers(bot),
    )


def tell_bot_given(
    ctx: RealmContext, bot: UserRecord, old_owner: UserRecord | None, new_owner: UserRecord
) -> None:
    """Administrators know the bot before and after; the owners, only while it is theirs."""
    if not bot.is_active:
        return
    if old_owner is not None and not old_owner.role.at_least(Role.ADMIN):
        ctx.emit(BotDeleted(bot={"user_id": bot.id}), to=Users.only(old_owner.id))
    if not new_owner.role.at_least(Role.ADMIN):
        ctx.emit(BotAdded(bot=bot_payload(bot)), to=Users.only(new_owner.id))
    ctx.emit(BotUpdated(bot=bot_payload(bot)), to=AtLeast(role=Role.ADMIN))


async def tell_bots_of_new_role(ctx: RealmContext, user: UserRecord, role: Role) -> None:
    """Whoever becomes an administrator, or no longer is one, knows more bots or fewer."""
    is_admin = role.at_least(Role.ADMIN)
    if is_admin is user.role.at_least(Role.ADMIN):
        return
    for bot in await UserRepository(ctx.db, ctx.realm.id).list_active_bots():
        if bot.bot_owner_id == user.id:
            continue
        news = BotAdded(bot=bot_payload(bot)) if is_admin else BotDeleted(bot={"user_id": bot.id})
        ctx.emit(news, to=Users.only(user.id))


def _managers(bot: UserRecord) -> UsersAndAbove:
    owners = frozenset() if bot.bot_owner_id is None else frozenset({bot.bot_owner_id})
    return UsersAndAbove(ids=owners, role=Role.ADMIN)
