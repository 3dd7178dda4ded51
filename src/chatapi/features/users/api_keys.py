"""Issues further API keys for logins, and revokes all keys of a user."""

from chatapi.auth.context import RealmContext
from chatapi.core.ids import UserId, new_api_key
from chatapi.events.audience import Nobody
from chatapi.events.restarts import restart_clients
from chatapi.features.users.events import CredentialsChanged
from chatapi.features.users.login_events import OldLoginsEnded
from chatapi.features.users.repository import ApiKeyRepository

LOGINS_PER_USER = 50
"""Limit of login keys per user; beyond it the oldest one is revoked."""


async def add_login_key(ctx: RealmContext, user_id: UserId) -> str:
    """Create a further key of a user; the others stay valid, except the oldest beyond the limit."""
    await ctx.lock()
    keys = ApiKeyRepository(ctx.db)
    api_key = new_api_key()
    await keys.add(user_id, api_key, ctx.now(), is_primary=False)
    if await keys.delete_oldest_logins(user_id, keep=LOGINS_PER_USER):
        ctx.emit(OldLoginsEnded(user_id=user_id), to=Nobody())
    return api_key


async def revoke_access(ctx: RealmContext, user_id: UserId) -> None:
    """Revoke all access that a user's credentials gave.

    Keys, event queues and waiting polls end with the commit, and so do temporary addresses of files
    that were requested with one of the keys. Call it whenever holders of the keys may no longer be
    permitted to act as the user.
    """
    await ctx.lock()
    await ApiKeyRepository(ctx.db).delete_all(user_id)
    await restart_clients(ctx.work, ctx.realm.id, [user_id])
    ctx.emit(CredentialsChanged(user_id=user_id), to=Nobody())
