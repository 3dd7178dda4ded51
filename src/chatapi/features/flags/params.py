"""Parameters of flags (SPEC 4.18)."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.wire.params import Params
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id

_MOST_MESSAGES = 20_000
_LONGEST_FLAG = 50


class ChangeFlagsParams(Params):
    """POST /messages/flags: all of the messages, or none."""

    messages: Annotated[list[Id], Field(max_length=_MOST_MESSAGES, examples=[[4, 8, 15]])]
    op: Annotated[Literal["add", "remove"], Field(examples=["add"])]
    flag: Annotated[str, Field(max_length=_LONGEST_FLAG, examples=["read"])]


class MarkChannelParams(Params):
    """POST /mark_stream_as_read."""

    stream_id: Annotated[Id, Field(examples=[7])]


class MarkTopicParams(Params):
    """SPEC 4.18, POST /mark_topic_as_read."""

    stream_id: Annotated[Id, Field(examples=[7])]
    topic_name: Topic
