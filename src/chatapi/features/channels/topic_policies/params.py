"""Parameters of topic policies."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from chatapi.wire.limits import MAX_CHANNEL_NAME_LENGTH
from chatapi.wire.params import Params
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id


class SetVisibilityPolicyParams(Params):
    """SPEC 4.9: the caller's new policy for a topic."""

    stream_id: Id
    """The channel of the topic; you must be able to read in it."""
    topic: Topic
    """The topic, which need not have messages yet; case does not matter."""
    visibility_policy: Literal[0, 1, 2, 3]
    """0: as the channel is, 1: muted, 2: unmuted, 3: followed."""


class MuteTopicParams(Params):
    """SPEC 4.10: the channel by its id or by its name."""

    stream_id: Id | None = None
    """The channel by its id; pass this or `stream`."""
    stream: Annotated[str | None, Field(max_length=MAX_CHANNEL_NAME_LENGTH)] = None
    """The channel by its name; pass this or `stream_id`."""
    topic: Topic
    """The topic to mute or unmute; case does not matter."""
    op: Literal["add", "remove"]
    """`add` mutes, `remove` unmutes."""

    @model_validator(mode="after")
    def _names_one_channel(self) -> Self:
        if (self.stream_id is None) == (self.stream is None):
            raise ValueError("Pass exactly one of 'stream_id' and 'stream'")
        return self
