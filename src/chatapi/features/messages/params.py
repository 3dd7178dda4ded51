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
"""Of addresses, with commas between them."""

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
    """A message and where it goes."""

    type: Annotated[MessageType, Field(examples=["channel"])]
    to: Annotated[Recipient, JsonOrString(), Field(examples=["general"])]
    """A channel by name or id, or people by their ids or API emails."""
    content: Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH, examples=["Hello **world**"])]
    topic: Annotated[Topic | None, Alias("subject")] = None
    """Needed in channels; `(no topic)` and the name of the empty topic mean the empty one."""
    queue_id: Annotated[str | None, Field(max_length=_MAX_LOCAL_ID_LENGTH)] = None
    """The event queue of the client that sends; its event carries `local_id`."""
    local_id: Annotated[str | None, Field(max_length=_MAX_LOCAL_ID_LENGTH)] = None
    """What the client calls the message; a retry with the same one sends nothing twice."""
    read_by_sender: bool | None = None
