"""Types and limits of parameters that several endpoints of messages share."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.wire.types import Id

MAX_RECIPIENTS = 1_000
_MAX_REFERENCE_LENGTH = 254
_MAX_LIST_LENGTH = MAX_RECIPIENTS * (_MAX_REFERENCE_LENGTH + 2)
"""Maximum length of a list of addresses, separated by commas."""

MessageType = Literal["direct", "channel", "stream", "private"]
Recipient = (
    Id
    | Annotated[list[Id], Field(max_length=MAX_RECIPIENTS)]
    | Annotated[
        list[Annotated[str, Field(max_length=_MAX_REFERENCE_LENGTH)]],
        Field(max_length=MAX_RECIPIENTS),
    ]
    | Annotated[str, Field(max_length=_MAX_LIST_LENGTH)]
)
