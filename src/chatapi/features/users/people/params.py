"""Parameters of the user endpoints."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.auth.passwords import MAX_LENGTH as MAX_PASSWORD_LENGTH
from chatapi.features.users.params import MAX_EMAIL_LENGTH, MAX_NAME_LENGTH
from chatapi.features.users.profile_fields.params import ProfileValueParam
from chatapi.features.users.profile_fields.rules import MAX_FIELDS
from chatapi.wire.params import Params, WireModel, with_example
from chatapi.wire.types import Id

MAX_USER_IDS = 100_000


class GetUserParams(Params):
    """SPEC 4.14: how to return one user."""

    client_gravatar: bool = True
    include_custom_profile_fields: bool = False


class GetUsersParams(GetUserParams):
    """SPEC 4.13: which users to return, and how."""

    user_ids: Annotated[list[Id], Field(max_length=MAX_USER_IDS)] | None = None


class CreateUserParams(Params):
    """POST /users: an account for another person, created by an administrator."""

    email: Annotated[str, Field(max_length=MAX_EMAIL_LENGTH, examples=["iago@example.com"])]
    password: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH, examples=["correct horse"])]
    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Iago"])]


class ChangeUserParams(Params):
    """PATCH /users/{user_id_or_email}: what is not passed stays unchanged."""

    model_config = with_example(full_name="Ada Lovelace")

    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Iago"])] | None = None
    role: Literal[100, 200, 300, 400, 600] | None = None
    profile_data: Annotated[list[ProfileValueParam], Field(max_length=MAX_FIELDS)] | None = None
    new_email: (
        Annotated[str, Field(max_length=MAX_EMAIL_LENGTH, examples=["iago@example.com"])] | None
    ) = None


class DeactivationActions(WireModel):
    """What to delete with an account; none of it is supported, and all of it is refused."""

    delete_profile: bool = False
    delete_public_channel_messages: bool = False
    delete_private_channel_messages: bool = False
    delete_direct_messages: bool = False

    def asks_for_any(self) -> bool:
        return any(self.model_dump().values())


class DeactivateUserParams(Params):
    """DELETE /users/{user_id_or_email}."""

    actions: DeactivationActions | None = None
