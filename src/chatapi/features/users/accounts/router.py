"""Endpoints of accounts."""

from chatapi.auth.guards import LoggedIn, LoggingIn
from chatapi.features.users.accounts.errors import AuthenticationFailedError
from chatapi.features.users.accounts.params import FetchApiKeyParams
from chatapi.features.users.accounts.service import AccountService, LoginService
from chatapi.features.users.api_key_payloads import ApiKeyPayload, LoginPayload
from chatapi.http.request import ApiRequest
from chatapi.http.route import FeatureRouter, raises

router = FeatureRouter("Accounts", "Exchange a password for an API key, or replace the key.")


@router.post("/fetch_api_key", responses=raises(AuthenticationFailedError))
async def fetch_api_key(
    ctx: LoggingIn, params: FetchApiKeyParams, request: ApiRequest
) -> LoginPayload:
    """Fetch an API key.

    Needs no authentication header. Each call creates a new key and leaves the others valid, so that
    several devices can be logged in. Attempts are limited strictly, by address and name.
    """
    await ctx.runtime.limits.charge_login_as(request, params.username)
    return await LoginService(ctx).log_in(params)


@router.post("/users/me/api_key/regenerate")
async def regenerate_api_key(ctx: LoggedIn) -> ApiKeyPayload:
    """Regenerate your API key.

    All your existing keys, those of other devices included, stop working at once.
    """
    return await AccountService(ctx).regenerate_api_key()
