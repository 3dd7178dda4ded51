"""Endpoints of personal settings."""

from chatapi.auth.context import Context
from chatapi.auth.guards import LoggedIn
from chatapi.core.errors import AdministratorRequiredError
from chatapi.features.users.settings.bulk import BulkSettingsService
from chatapi.features.users.settings.params import ChangeSettingsParams
from chatapi.features.users.settings.service import UserSettingsService
from chatapi.http.request import ApiRequest
from chatapi.http.route import FeatureRouter, raises

router = FeatureRouter("Settings", "How you want the service to behave, and your own account.")


@router.patch("/settings", responses=raises(AdministratorRequiredError))
async def change_settings(ctx: LoggedIn, params: ChangeSettingsParams, request: ApiRequest) -> None:
    """Change your settings.

    What is not passed stays unchanged. A new password needs the old one; all API keys stay valid.
    Only administrators can change their email address. With `target_users` they change the
    settings of other users, except those that are about the privacy of a user.
    """
    await _change(ctx, params, request)


@router.patch("/settings/notifications", responses=raises(AdministratorRequiredError))
async def change_notification_settings(
    ctx: LoggedIn, params: ChangeSettingsParams, request: ApiRequest
) -> None:
    """Change your settings, at an older path.

    The same as `PATCH /settings`, for clients that change notifications here.
    """
    await _change(ctx, params, request)


async def _change(ctx: Context, params: ChangeSettingsParams, request: ApiRequest) -> None:
    if params.target_users is not None:
        await BulkSettingsService(ctx).change(params, params.target_users)
        return
    if params.has("new_password"):
        # A stolen API key must not allow guessing the password of the account.
        await ctx.runtime.limits.charge_login_from(request)
        await ctx.runtime.limits.charge_login_as(request, ctx.user.delivery_email)
    await UserSettingsService(ctx).change(params)
