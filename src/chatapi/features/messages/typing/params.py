"""Parameters of typing notifications."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.features.messages.params import MAX_RECIPIENTS
from chatapi.wire.params import Params
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id


class TypingParams(Params):
    """SPEC 4.6: whether the caller is typing, and where."""

    op: Literal["start", "stop"]
    """Whether you begin (or go on) typing, or stop."""
    type: Literal["direct", "stream", "channel"] = "direct"
    """Whether it is a direct message or one to a channel. `stream` means `channel`."""
    to: Annotated[list[Id] | None, Field(max_length=MAX_RECIPIENTS)] = None
    """Ids of the recipients of a direct message, with or without yourself. Required for direct
    messages."""
    stream_id: Id | None = None
    """The channel you are writing to; required in channels."""
    topic: Topic | None = None
    """The topic you are writing to; required in channels. `(no topic)` and the name of the empty
    topic mean the empty one."""


class EditTypingParams(Params):
    """POST /messages/{message_id}/typing."""

    op: Literal["start", "stop"]
    """Whether you begin (or go on) editing, or stop."""
