"""The verbs on accounts: logging in, and starting over with a new key."""

from chatapi.auth.context import Context, RealmContext
from chatapi.core.ids import new_api_key
from chatapi.events.audience import Nobody
from chatapi.features.accounts.errors import AuthenticationFailedError
from chatapi.features.accounts.events import OldLoginsEnded
from chatapi.features.accounts.params import FetchApiKeyParams
from chatapi.features.accounts.payloads import ApiKeyPayload, LoginPayload
from chatapi.features.accounts.repository import Login, LoginRepository
from chatapi.features.users.changes import replace_api_key
from chatapi.features.users.repository import ApiKeyRepository

LOGINS_PER_USER = 50
"""Keys a user can have from logins; beyond that the oldest one gives way."""


class LoginService:
    """What somebody can do who is not logged in yet."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx
        self._logins = LoginRepository(ctx.db, ctx.realm, ctx.settings.root_domain)
        self._keys = ApiKeyRepository(ctx.db)

    async def log_in(self, params: FetchApiKeyParams) -> LoginPayload:
        """SPEC 4.12: a new key for a right password; the keys of other devices stay valid."""
        login = await self._check(params)
        await self._ctx.lock()
        current = await self._logins.find(params.username)
        if current is None or not current.admits_like(login):
            # Checking took a while, and the account is no longer what was checked.
            raise AuthenticationFailedError
        api_key = new_api_key()
        await self._keys.add(login.user.id, api_key, self._ctx.now(), is_primary=False)
        if await self._keys.delete_oldest_logins(login.user.id, keep=LOGINS_PER_USER):
            self._ctx.emit(OldLoginsEnded(user_id=login.user.id), to=Nobody())
        return {
            "api_key": api_key,
            "email": login.user.delivery_email,
            "user_id": login.user.id,
        }

    async def _check(self, params: FetchApiKeyParams) -> Login:
        """One statement and one hash, whether the user is unknown, deactivated or just wrong."""
        login = await self._logins.find(params.username)
        # Nobody else should wait for our connection while the hash is worked out.
        await self._ctx.db.close()
        is_right = await self._ctx.runtime.passwords.verify(
            params.password, None if login is None else login.password_hash
        )
        if login is None or not is_right or not login.user.is_active:
            raise AuthenticationFailedError
        return login


class AccountService:
    """What users can do with their own accounts."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def regenerate_api_key(self) -> ApiKeyPayload:
        """Log out every device and every bot that uses the caller's keys, this one included."""
        return {"api_key": await replace_api_key(self._ctx, self._ctx.user)}
