"""Payloads of scheduled messages."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class ScheduledMessagePayload(TypedDict):
    """A message that will be sent later, or that could not be sent."""

    scheduled_message_id: int
    """Names it in requests until it is sent; the sent message gets another id."""
    type: Literal["stream", "private"]
    """Whether it goes to a channel (`stream`) or to users (`private`)."""
    to: int | list[int]
    """The id of the channel, or the ids of the users."""
    topic: NotRequired[str]
    """The topic; absent for direct messages."""
    content: str
    """The text, in Markdown."""
    rendered_content: str
    """The text as HTML."""
    scheduled_delivery_timestamp: UnixSeconds
    """When it will be sent, in Unix seconds."""
    failed: bool
    """Whether it could not be sent; it stays until you change its time or delete it."""


class ScheduledMessagesPayload(TypedDict):
    """A user's scheduled messages, by time."""

    scheduled_messages: list[ScheduledMessagePayload]
    """Your scheduled messages, the next one first."""


class ScheduledPayload(TypedDict):
    """The id of a scheduled message; the sent message gets another id."""

    scheduled_message_id: int
    """The id of the scheduled message; the sent message will get another one."""
