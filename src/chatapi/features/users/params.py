"""Parameters of the user endpoints."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.passwords import MAX_LENGTH as LONGEST_PASSWORD
from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_USER_IDS = 100_000
MAX_EMAIL_LENGTH = 254
MAX_NAME_LENGTH = 100


UserReference = Annotated[
    str,
    Field(
        max_length=MAX_EMAIL_LENGTH,
        description="The id of a user, their API email, or their real address if you may see it.",
        examples=["10"],
    ),
]


class GetUserParams(Params):
    """SPEC 4.14: how to show one user."""

    client_gravatar: bool = True
    include_custom_profile_fields: bool = False


class GetUsersParams(GetUserParams):
    """SPEC 4.13: which users to show, and how."""

    user_ids: Annotated[list[Id], Field(max_length=MAX_USER_IDS)] | None = None


class CreateUserParams(Params):
    """POST /users: an account for somebody else, made by an administrator."""

    email: Annotated[str, Field(max_length=MAX_EMAIL_LENGTH, examples=["iago@example.com"])]
    password: Annotated[str, Field(max_length=LONGEST_PASSWORD, examples=["correct horse"])]
    full_name: Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Iago"])]
