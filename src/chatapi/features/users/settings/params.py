"""Parameters of the settings endpoint."""

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from chatapi.auth.passwords import MAX_LENGTH as MAX_PASSWORD_LENGTH
from chatapi.features.users.params import MAX_EMAIL_LENGTH, MAX_NAME_LENGTH
from chatapi.wire.params import Params, WireModel, without_defaults
from chatapi.wire.types import Id
from chatapi.wire.user_settings import UserSettings

MAX_TARGETS = 20_000

Password = Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)]


class TargetUsers(WireModel):
    """The users whose settings an administrator changes."""

    user_ids: Annotated[list[Id], Field(default_factory=list, max_length=MAX_TARGETS)]
    """Users by id."""
    group_ids: Annotated[list[Id], Field(default_factory=list, max_length=100)]
    """User groups, whose members are meant, those of their subgroups included."""
    skip_if_already_edited: bool
    """Whether users keep a value that is not the default of the organization."""


class ChangeSettingsParams(UserSettings, Params):
    """PATCH /settings: any of the personal settings, and the caller's own account."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=without_defaults)

    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Iago"])] = ""
    """Replaces your name, unless the organization has disabled that."""
    email: Annotated[str, Field(max_length=MAX_EMAIL_LENGTH, examples=["iago@example.com"])] = ""
    """Replaces your real address; for administrators."""
    old_password: Annotated[Password, Field(examples=["correct horse"])] = ""
    """Your password, which a new one needs."""
    new_password: Annotated[Password, Field(examples=["battery staple"])] = ""
    """Replaces your password. API keys stay valid."""
    timezone: Annotated[str, Field(max_length=100)] = ""
    """Your time zone, a name of the IANA database; empty for none."""
    email_address_visibility: Literal[1, 2, 3, 4, 5] = 1
    """Who may see your real address. 1: everyone, 2: members, 3: administrators, 4: nobody, 5:
    moderators."""

    target_users: TargetUsers | None = Field(
        default=None, examples=[{"user_ids": [1], "skip_if_already_edited": True}]
    )
    """For administrators: change the settings of these users instead of your own."""

    def passed_settings(self) -> dict[str, bool | int | str]:
        """The personal settings that were passed, by name."""
        names = UserSettings.model_fields.keys() & self.model_fields_set
        return {name: getattr(self, name) for name in sorted(names)}

    def has(self, name: str) -> bool:
        return name in self.model_fields_set
