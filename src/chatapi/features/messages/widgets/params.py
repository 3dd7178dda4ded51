"""Parameters of submessages."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.wire.params import Params
from chatapi.wire.types import Id

MAX_SUBMESSAGE_LENGTH = 3_000


class SubmessageParams(Params):
    """POST /submessage."""

    message_id: Id
    """The message with the widget."""
    msg_type: Literal["widget"]
    """Always `widget`."""
    content: Annotated[
        str,
        Field(max_length=MAX_SUBMESSAGE_LENGTH),
    ]
    """What to do with the widget, as JSON: a vote, another question, a further task and so on."""
