"""Types and limits of parameters that several endpoints of users share."""

from typing import Annotated

from pydantic import Field

MAX_EMAIL_LENGTH = 254
MAX_NAME_LENGTH = 100

UserReference = Annotated[
    str,
    Field(
        max_length=MAX_EMAIL_LENGTH,
        description="The id of a user, their API email, or their real address if you may see it.",
        examples=["2"],
    ),
]
