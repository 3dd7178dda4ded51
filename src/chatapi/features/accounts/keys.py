"""Keys that are handed out beside the account's own one."""

from chatapi.auth.context import RealmContext
from chatapi.core.ids import UserId, new_api_key
from chatapi.events.audience import Nobody
from chatapi.features.accounts.events import OldLoginsEnded
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
