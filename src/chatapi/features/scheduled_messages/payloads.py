"""Scheduled messages as clients see them."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class ScheduledMessagePayload(TypedDict):
    """A message that is to be sent later, or that could not be sent."""

    scheduled_message_id: int
    type: Literal["stream", "private"]
    to: int | list[int]
    topic: NotRequired[str]
    content: str
    rendered_content: str
    scheduled_delivery_timestamp: UnixSeconds
    failed: bool


class ScheduledMessagesPayload(TypedDict):
    """What somebody has scheduled, by time."""

    scheduled_messages: list[ScheduledMessagePayload]


class ScheduledPayload(TypedDict):
    """The id of a message that was scheduled; once sent it has another one."""

    scheduled_message_id: int
