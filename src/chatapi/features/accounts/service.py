"""The verbs on accounts: logging in, and starting over with a new key."""

from chatapi.auth.context import Context, RealmContext
from chatapi.features.accounts.api_keys import add_login_key
from chatapi.features.accounts.errors import AuthenticationFailedError
from chatapi.features.accounts.params import FetchApiKeyParams
from chatapi.features.accounts.payloads import ApiKeyPayload, LoginPayload
from chatapi.features.accounts.repository import Login, LoginRepository
from chatapi.features.users.changes import replace_api_key


class LoginService:
    """What somebody can do who is not logged in yet."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx
        self._logins = LoginRepository(ctx.db, ctx.realm, ctx.settings.root_domain)

    async def log_in(self, params: FetchApiKeyParams) -> LoginPayload:
        """SPEC 4.12: a new key for a right password; the keys of other devices stay valid."""
        login = await self._check(params)
        await self._ctx.lock()
        current = await self._logins.find(params.username)
        if current is None or not current.matches(login):
            # Checking took a while, and the account is no longer what was checked.
            raise AuthenticationFailedError
        return {
            "api_key": await add_login_key(self._ctx, login.user.id),
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
