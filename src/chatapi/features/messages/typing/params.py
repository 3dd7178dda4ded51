"""Parameters of typing notifications."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.features.messages.params import MAX_RECIPIENTS
from chatapi.wire.params import Params, with_example
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id


class TypingParams(Params):
    """SPEC 4.6: whether the caller is typing, and where."""

    model_config = with_example(op="start", type="direct", to=[2])

    op: Annotated[Literal["start", "stop"], Field(examples=["start"])]
    type: Literal["direct", "stream", "channel"] = "direct"
    to: Annotated[list[Id] | None, Field(max_length=MAX_RECIPIENTS, examples=[[1]])] = None
    """The recipients of a direct message, with or without the caller."""
    stream_id: Annotated[Id | None, Field(examples=[1])] = None
    """Required in channels."""
    topic: Topic | None = None
    """Required in channels; `(no topic)` and the name of the empty topic mean the empty one."""


class EditTypingParams(Params):
    """POST /messages/{message_id}/typing."""

    op: Annotated[Literal["start", "stop"], Field(examples=["start"])]
