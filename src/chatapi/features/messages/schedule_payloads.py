"""Payloads of scheduled messages."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class ScheduledMessagePayload(TypedDict):
    """A message that will be sent later, or that could not be sent."""

    scheduled_message_id: int
    type: Literal["stream", "private"]
    to: int | list[int]
    topic: NotRequired[str]
    content: str
    rendered_content: str
    scheduled_delivery_timestamp: UnixSeconds
    failed: bool


class ScheduledMessagesPayload(TypedDict):
    """A user's scheduled messages, by time."""

    scheduled_messages: list[ScheduledMessagePayload]


class ScheduledPayload(TypedDict):
    """The id of a scheduled message; the sent message gets another id."""

    scheduled_message_id: int
