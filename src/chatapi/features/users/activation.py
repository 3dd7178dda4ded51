"""The end of an account, and its return; callers have checked who may bring them about."""

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.core.roles import Role
from chatapi.events.queue_rows import QueueRows
from chatapi.features.bots.announcements import tell_bot_added, tell_bot_removed
from chatapi.features.subscriptions.attendance import count_in, count_out
from chatapi.features.users.errors import CannotDeactivateLastUserError
from chatapi.features.users.events import UserUpdated
from chatapi.features.users.memberships import tell_departure, tell_return
from chatapi.features.users.repository import ApiKeyRepository, UserRepository
from chatapi.permissions.people import who_sees


async def deactivate_user(ctx: RealmContext, user: UserRecord) -> None:
    """End an account and the bots of its owner: all that they have open ends with the commit."""
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    current = await users.get(user.id)
    if not current.is_active:
        return
    await keep_an_owner(users, current)
    for ended in (current, *await users.list_active_bots(of=current.id)):
        await _end(ctx, ended)


async def reactivate_user(ctx: RealmContext, user: UserRecord) -> None:
    """Let an account be used again; keys of before stay worth nothing, passwords stay right."""
    await ctx.lock()
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, is_active=True)
    ctx.emit(UserUpdated(person={"user_id": user.id, "is_active": True}), to=who_sees(user))
    await tell_return(ctx, user)
    await count_in(ctx, user)
    if user.is_bot:
        await tell_bot_added(ctx, user)


async def keep_an_owner(users: UserRepository, user: UserRecord) -> None:
    """Refuse to go on if a user, read under the lock, is the last person who is an owner."""
    is_owner = user.role is Role.OWNER and user.is_active and not user.is_bot
    if is_owner and await users.count_active_owners() == 1:
        raise CannotDeactivateLastUserError(is_last_owner=True, entity="organization owner")


async def _end(ctx: RealmContext, user: UserRecord) -> None:
    """Keys, queues and waiting polls."""
    await UserRepository(ctx.db, ctx.realm.id).change(user.id, is_active=False)
    await ApiKeyRepository(ctx.db).delete_all(user.id)
    for queue_id in await QueueRows(ctx.db).delete_of_users([user.id]):
        ctx.work.close_queue(ctx.realm.id, queue_id)
    ctx.emit(UserUpdated(person={"user_id": user.id, "is_active": False}), to=who_sees(user))
    await tell_departure(ctx, user)
    await count_out(ctx, user)
    if user.is_bot:
        await tell_bot_removed(ctx, user)
