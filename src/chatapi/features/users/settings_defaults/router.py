"""Endpoint of the defaults of personal settings."""

from chatapi.auth.guards import Admin
from chatapi.features.users.settings_defaults.params import ChangeDefaultsParams
from chatapi.features.users.settings_defaults.service import DefaultSettingsService
from chatapi.http.route import FeatureRouter

router = FeatureRouter("Default settings", "What new users begin with.")


@router.patch("/realm/user_settings_defaults")
async def update_realm_user_settings_defaults(ctx: Admin, params: ChangeDefaultsParams) -> None:
    """Change the default values of personal settings.

    They apply to users who are created from now on; what is not passed stays unchanged.
    """
    await DefaultSettingsService(ctx).change(params)
