"""Parameters of flags (SPEC 4.18)."""

from typing import Annotated, Literal

from pydantic import Field

from chatapi.features.messages.fetch.params import MAX_ANCHOR_LENGTH, MAX_DATE_LENGTH, Count
from chatapi.narrow import NarrowParam
from chatapi.wire.params import Params
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id

_MAX_MESSAGES = 20_000
_MAX_FLAG_LENGTH = 50


class FlagChange(Params):
    """Which flag, and whether it is set."""

    op: Literal["add", "remove"]
    """Whether the flag is set or removed."""
    flag: Annotated[str, Field(max_length=_MAX_FLAG_LENGTH)]
    """The flag to change: `read`, `starred` or `collapsed`."""


class ChangeFlagsParams(FlagChange):
    """POST /messages/flags: all of the messages, or none."""

    messages: Annotated[list[Id], Field(max_length=_MAX_MESSAGES)]
    """Ids of the messages, at most 20,000; all of them or, if you may not see one, none."""


class ChangeNarrowFlagsParams(FlagChange):
    """POST /messages/flags/narrow: the messages around an anchor."""

    anchor: Annotated[str, Field(max_length=MAX_ANCHOR_LENGTH)]
    """Around which message to work: its id, or `newest`, `oldest`, `first_unread` or `date`."""
    anchor_date: Annotated[
        str | None, Field(max_length=MAX_DATE_LENGTH, examples=["2026-01-31T12:00:00Z"])
    ] = None
    """With the anchor `date`: the first message since this moment, in ISO 8601."""
    include_anchor: bool = True
    """Whether the message at the anchor itself is changed."""
    num_before: Count
    """How many messages before the anchor to process; together with `num_after` at most 5,000."""
    num_after: Count
    """How many messages after the anchor to process; together with `num_before` at most 5,000."""
    narrow: NarrowParam


class MarkChannelParams(Params):
    """POST /mark_stream_as_read."""

    stream_id: Id
    """The channel whose messages you have read."""


class MarkTopicParams(Params):
    """SPEC 4.18, POST /mark_topic_as_read."""

    stream_id: Id
    """The channel of the topic."""
    topic_name: Topic
    """The topic whose messages you have read; case does not matter."""
