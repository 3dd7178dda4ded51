"""Keys that are handed out beside the account's own one, and the end of all of them."""

from chatapi.auth.context import RealmContext
from chatapi.core.ids import UserId, new_api_key
from chatapi.events.audience import Nobody
from chatapi.events.restarts import restart_clients
from chatapi.features.accounts.events import OldLoginsEnded
from chatapi.features.users.events import CredentialsChanged
from chatapi.features.users.repository import ApiKeyRepository

LOGINS_PER_USER = 50
"""Keys a user can have from logins; beyond that the oldest one gives way."""


async def add_login_key(ctx: RealmContext, user_id: UserId) -> str:
    """One more key of a user; the others stay valid, but for the oldest of very many."""
    await ctx.lock()
    keys = ApiKeyRepository(ctx.db)
    api_key = new_api_key()
    await keys.add(user_id, api_key, ctx.now(), is_primary=False)
    if await keys.delete_oldest_logins(user_id, keep=LOGINS_PER_USER):
        ctx.emit(OldLoginsEnded(user_id=user_id), to=Nobody())
    return api_key


async def revoke_access(ctx: RealmContext, user_id: UserId) -> None:
    """End every way in that a user's credentials opened.

    Keys, event queues and waiting polls end with the commit, and so do addresses of files that
    were asked for with one of the keys. Call it whenever those who know the keys may not be those
    who are to act as the user.
    """
    await ctx.lock()
    await ApiKeyRepository(ctx.db).delete_all(user_id)
    await restart_clients(ctx.work, ctx.realm.id, [user_id])
    ctx.emit(CredentialsChanged(user_id=user_id), to=Nobody())
