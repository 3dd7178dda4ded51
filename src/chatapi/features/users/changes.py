"""Changes to a user's standing; callers have checked who may make them."""

from chatapi.auth.context import RealmContext
from chatapi.auth.people import UserRecord
from chatapi.core.ids import hash_api_key, new_api_key
from chatapi.core.roles import Role
from chatapi.events.audience import Everyone, Nobody
from chatapi.events.queue_rows import QueueRows
from chatapi.features.users.errors import CannotDeactivateLastUserError
from chatapi.features.users.events import CredentialsChanged, UserUpdated
from chatapi.features.users.repository import UserRepository


async def change_role(ctx: RealmContext, user: UserRecord, role: Role) -> None:
    """Give a user another role; the last owner stays one."""
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    if role is not Role.OWNER:
        await _keep_an_owner(users, user)
    await users.change(user.id, role=role)
    ctx.emit(UserUpdated(person={"user_id": user.id, "role": role}), to=Everyone())


async def deactivate_user(ctx: RealmContext, user: UserRecord) -> None:
    """End an account: its key, its queues and its waiting polls end with the commit."""
    await ctx.lock()
    users = UserRepository(ctx.db, ctx.realm.id)
    await _keep_an_owner(users, user)
    await users.change(user.id, is_active=False)
    for queue_id in await QueueRows(ctx.db).delete_of_user(user.id):
        ctx.work.close_queue(ctx.realm.id, queue_id)
    ctx.emit(UserUpdated(person={"user_id": user.id, "is_active": False}), to=Everyone())


async def replace_api_key(ctx: RealmContext, user: UserRecord) -> str:
    """A new API key; the old one is worth nothing from the commit on, in every process."""
    await ctx.lock()
    api_key = new_api_key()
    users = UserRepository(ctx.db, ctx.realm.id)
    await users.change(user.id, api_key_hash=hash_api_key(api_key))
    ctx.emit(CredentialsChanged(user_id=user.id), to=Nobody())
    return api_key


async def _keep_an_owner(users: UserRepository, user: UserRecord) -> None:
    current = await users.get(user.id)
    is_owner = current.role is Role.OWNER and current.is_active
    if is_owner and await users.count_active_owners() == 1:
        raise CannotDeactivateLastUserError(is_last_owner=True, entity="organization owner")
