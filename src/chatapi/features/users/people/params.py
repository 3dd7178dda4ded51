"""Parameters of the user endpoints."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.auth.passwords import MAX_LENGTH as MAX_PASSWORD_LENGTH
from chatapi.features.users.params import MAX_EMAIL_LENGTH, MAX_NAME_LENGTH
from chatapi.features.users.profile_fields.params import ProfileValueParam
from chatapi.features.users.profile_fields.rules import MAX_FIELDS
from chatapi.wire.params import Params, WireModel
from chatapi.wire.types import Id

MAX_USER_IDS = 100_000


class GetUserParams(Params):
    """SPEC 4.14: how to return one user."""

    client_gravatar: bool = True
    """Whether the client computes the addresses of Gravatar pictures itself; `avatar_url` is null
    for those."""
    include_custom_profile_fields: bool = False
    """Whether users come with `profile_data`."""


class ListUsersParams(GetUserParams):
    """SPEC 4.13: which users to return, and how."""

    user_ids: Annotated[list[Id], Field(max_length=MAX_USER_IDS)] | None = None
    """Return only these users, as far as they exist and you may see them; all if left out."""


class CreateUserParams(Params):
    """POST /users: an account for another person, created by an administrator."""

    email: Annotated[str, Field(max_length=MAX_EMAIL_LENGTH)]
    """The real address, with which the person logs in; must not belong to another user."""
    password: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)]
    """The first password, which the person should change."""
    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
    """The name that people see."""


class ChangeUserParams(Params):
    """PATCH /users/{user_id_or_email}: what is not passed stays unchanged."""

    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH)] | None = None
    """Replaces the name that people see."""
    role: Literal[100, 200, 300, 400, 600] | None = None
    """100: owner, 200: administrator, 300: moderator, 400: member, 600: guest."""
    profile_data: Annotated[list[ProfileValueParam], Field(max_length=MAX_FIELDS)] | None = None
    """New values of custom profile fields; the others stay."""
    new_email: (
        Annotated[str, Field(max_length=MAX_EMAIL_LENGTH, examples=["iago@example.com"])] | None
    ) = None
    """Replaces the real address."""


class DeactivationActions(WireModel):
    """What to delete with an account; none of it is supported, and all of it is refused."""

    delete_profile: bool = False
    """Refused: the profile cannot be deleted."""
    delete_public_channel_messages: bool = False
    """Refused: messages cannot be deleted with the account."""
    delete_private_channel_messages: bool = False
    """Refused: messages cannot be deleted with the account."""
    delete_direct_messages: bool = False
    """Refused: messages cannot be deleted with the account."""

    def asks_for_any(self) -> bool:
        return any(self.model_dump().values())


class DeactivateUserParams(Params):
    """DELETE /users/{user_id_or_email}."""

    actions: DeactivationActions | None = None
    """What to delete with the account. Nothing is supported: any true value refuses the request."""
