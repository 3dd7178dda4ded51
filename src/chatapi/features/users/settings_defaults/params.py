"""Parameters of the defaults of personal settings."""

from typing import Literal

from pydantic import ConfigDict

from chatapi.wire.params import Params, without_defaults
from chatapi.wire.user_settings import UserSettings


class ChangeDefaultsParams(UserSettings, Params):
    """PATCH /realm/user_settings_defaults: any of the personal settings."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=without_defaults)

    email_address_visibility: Literal[1, 2, 3, 4, 5] = 1
    """Who may see the real address of new users. 1: everyone, 2: members, 3: administrators, 4:
    nobody, 5: moderators."""

    def passed_settings(self) -> dict[str, bool | int | str]:
        """The settings that were passed, by name."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}
