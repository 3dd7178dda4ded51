"""Parameters of sending (SPEC 4.1)."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Alias, JsonOrString, Params
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id

MAX_RECIPIENTS = 1_000
_MAX_LOCAL_ID_LENGTH = 100
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


class SendMessageParams(Params):
    """A message and its recipients."""

    type: Annotated[MessageType, Field(examples=["channel"])]
    to: Annotated[Recipient, JsonOrString(), Field(examples=["general"])]
    """A channel by name or id, or users by their ids or API emails."""
    content: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH, examples=["Hello **world**"])]
    topic: Annotated[Topic | None, Alias("subject")] = None
    """Required in channels; `(no topic)` and the name of the empty topic mean the empty one."""
    queue_id: Annotated[str | None, Field(max_length=_MAX_LOCAL_ID_LENGTH)] = None
    """The event queue of the sending client; the event in this queue contains `local_id`."""
    local_id: Annotated[str | None, Field(max_length=_MAX_LOCAL_ID_LENGTH)] = None
    """The client's id for the message; a retry with the same one sends nothing twice."""
    read_by_sender: bool | None = None
