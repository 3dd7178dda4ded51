"""Payloads in events about read state."""

from typing import NotRequired

from typing_extensions import TypedDict

from chatapi.core.ids import UserId


class MessageDetailsPayload(TypedDict):
    """The conversation of a message that became unread, for clients that do not have it."""

    type: str
    """`stream` or `private`."""
    mentioned: NotRequired[bool]
    """Only present, and true, if the message mentions the reader."""
    user_ids: NotRequired[list[UserId]]
    """Of a direct message: the other participants, without the reader. Empty for notes to oneself.
    """
    stream_id: NotRequired[int]
    """Of a message in a channel: the channel it is in."""
    topic: NotRequired[str]
    """Of a message in a channel: its topic."""
    unmuted_stream_msg: NotRequired[bool]
    """For messages of channels: whether the reader has muted neither the channel nor the topic,
    or shows the topic nevertheless.
    """
