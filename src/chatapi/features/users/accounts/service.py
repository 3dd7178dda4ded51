"""Use cases: log in; list, revoke and regenerate API keys."""

from chatapi.audit.entries import AuditKind
from chatapi.auth.caller_cache import Caller
from chatapi.auth.context import Context, RealmContext
from chatapi.core.clock import unix_seconds
from chatapi.core.ids import ApiKeyId
from chatapi.features.users.accounts.errors import AuthenticationFailedError
from chatapi.features.users.accounts.params import FetchApiKeyParams
from chatapi.features.users.accounts.repository import Login, LoginRepository
from chatapi.features.users.api_key_payloads import (
    ApiKeyDescription,
    ApiKeyPayload,
    ApiKeysPayload,
    LoginPayload,
)
from chatapi.features.users.api_key_records import ApiKeyRecord
from chatapi.features.users.api_keys import add_login_key, list_api_keys, revoke_api_key
from chatapi.features.users.changes import replace_api_key


class LoginService:
    """Logs in a caller who is not authenticated yet."""

    def __init__(self, ctx: RealmContext) -> None:
        self._ctx = ctx
        self._logins = LoginRepository(ctx.db, ctx.realm, ctx.settings.root_domain)

    async def log_in(self, params: FetchApiKeyParams, client: str) -> LoginPayload:
        """SPEC 4.12: a new key for a correct password; the keys of other devices stay valid."""
        login = await self._check(params, client)
        await self._ctx.lock()
        current = await self._logins.find(params.username)
        if current is None or not current.matches(login):
            # The account changed while the password was checked.
            raise AuthenticationFailedError
        acting = self._ctx.acting_as(Caller(current.user), client)
        kind = AuditKind.LOGIN_SUCCEEDED
        return {
            "api_key": await add_login_key(acting, login.user.id, client, kind),
            "email": login.user.delivery_email,
            "user_id": login.user.id,
        }

    async def _check(self, params: FetchApiKeyParams, client: str) -> Login:
        """One statement and one hash, for unknown and deactivated users and wrong passwords."""
        login = await self._logins.find(params.username)
        # Release the database connection while the hash is computed.
        await self._ctx.release_connection()
        is_right = await self._ctx.runtime.passwords.verify(
            params.password, None if login is None else login.password_hash
        )
        if login is None or not is_right or not login.user.is_active:
            if login is not None:
                self._count_failure(login, client)
            raise AuthenticationFailedError
        return login

    def _count_failure(self, login: Login, client: str) -> None:
        ctx = self._ctx
        ctx.runtime.failed_logins.count(ctx.realm.id, login.user.id, ctx.address, client, ctx.now())


class AccountService:
    """What users can do with their own accounts."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx

    async def list_api_keys(self) -> ApiKeysPayload:
        keys = await list_api_keys(self._ctx, self._ctx.user.id)
        return {"api_keys": [self._describe(key) for key in keys]}

    async def revoke_api_key(self, key_id: ApiKeyId) -> None:
        await revoke_api_key(self._ctx, self._ctx.user.id, key_id)

    def _describe(self, key: ApiKeyRecord) -> ApiKeyDescription:
        return {
            "id": key.id,
            "name": key.name,
            "is_login": not key.is_primary,
            "is_current": key.id == self._ctx.caller.key_id,
            "created_at": unix_seconds(key.created_at),
            "last_used_at": None if key.last_used_at is None else unix_seconds(key.last_used_at),
        }

    async def regenerate_api_key(self) -> ApiKeyPayload:
        """Log out every device and every program that uses the caller's keys, this one included."""
        return {"api_key": await replace_api_key(self._ctx, self._ctx.user)}
