"""Changes to bots; callers have checked who may make them."""

from dataclasses import replace

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.features.bots.announcements import tell_bot_given
from chatapi.features.users.events import UserUpdated
from chatapi.features.users.repository import UserRepository
from chatapi.permissions.people import who_sees


async def give_bot(ctx: RealmContext, bot: UserRecord, new_owner: UserRecord) -> UserRecord:
    """Make somebody else the owner of a bot."""
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    old_owner = None if bot.bot_owner_id is None else await users.find(bot.bot_owner_id)
    await users.change(bot.id, bot_owner_id=new_owner.id)
    given = replace(bot, bot_owner_id=new_owner.id)
    ctx.emit(
        UserUpdated(person={"user_id": bot.id, "bot_owner_id": new_owner.id}), to=who_sees(given)
    )
    await tell_bot_given(ctx, given, old_owner, new_owner)
    return given
