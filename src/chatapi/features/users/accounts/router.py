"""Endpoints of accounts."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.guards import LoggedIn, LoggingIn
from chatapi.core.ids import ApiKeyId
from chatapi.features.users.accounts.errors import AuthenticationFailedError
from chatapi.features.users.accounts.params import FetchApiKeyParams
from chatapi.features.users.accounts.service import AccountService, LoginService
from chatapi.features.users.api_key_payloads import ApiKeyPayload, ApiKeysPayload, LoginPayload
from chatapi.http.request import ApiRequest
from chatapi.http.route import FeatureRouter, raises
from chatapi.wire.types import Id

KeyInPath = Annotated[Id, Field(description="The `id` of the key in `GET /users/me/api_keys`.")]

router = FeatureRouter(
    "Accounts", "Exchange a password for an API key; list, revoke and replace keys."
)


@router.post("/fetch_api_key", responses=raises(AuthenticationFailedError))
async def fetch_api_key(
    ctx: LoggingIn, params: FetchApiKeyParams, request: ApiRequest
) -> LoginPayload:
    """Fetch an API key.

    Needs no authentication header. Each call creates a new key and leaves the others valid, so that
    several devices can be logged in. Attempts are limited strictly, by address and name.
    """
    await ctx.runtime.limits.charge_login_as(request, params.username)
    return await LoginService(ctx).log_in(params, request.client_name)


@router.get("/users/me/api_keys")
async def get_api_keys(ctx: LoggedIn) -> ApiKeysPayload:
    """List your API keys.

    Shows what each key is for and when it was last used, not the keys: only digests of them are
    stored.
    """
    return await AccountService(ctx).list_api_keys()


@router.delete("/users/me/api_keys/{key_id:int}")
async def revoke_api_key(ctx: LoggedIn, key_id: KeyInPath) -> None:
    """Revoke one of your API keys.

    It stops working at once; the others stay valid. All your event queues end, and clients register
    again.
    """
    await AccountService(ctx).revoke_api_key(ApiKeyId(key_id))


@router.post("/users/me/api_key/regenerate")
async def regenerate_api_key(ctx: LoggedIn) -> ApiKeyPayload:
    """Regenerate your API key.

    All your existing keys, those of other devices included, stop working at once.
    """
    return await AccountService(ctx).regenerate_api_key()
