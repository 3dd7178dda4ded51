"""Parameters of the account endpoints."""

from typing import Annotated

from pydantic import Field

from chatapi.auth.passwords import MAX_LENGTH as MAX_PASSWORD_LENGTH
from chatapi.features.users.params import MAX_EMAIL_LENGTH
from chatapi.wire.params import Params


class FetchApiKeyParams(Params):
    """SPEC 4.12: the credentials of a login."""

    username: Annotated[str, Field(max_length=MAX_EMAIL_LENGTH)]
    """The real email address of the account."""
    password: Annotated[str, Field(max_length=MAX_PASSWORD_LENGTH)]
    """The password of the account."""
