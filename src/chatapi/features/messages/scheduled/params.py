"""Parameters of scheduled messages (SPEC 4.2, 4.3)."""

from typing import Annotated

from pydantic import Field

from chatapi.features.messages.params import MAX_RECIPIENTS, MessageType
from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import Params
from chatapi.wire.topics import Topic
from chatapi.wire.types import Id

_LATEST = 253_402_300_799
"""The end of the year 9999, the last year that dates here support."""

Recipients = Id | Annotated[list[Id], Field(max_length=MAX_RECIPIENTS)]
Content = Annotated[str, Field(max_length=MAX_MESSAGE_LENGTH)]
DeliveryTime = Annotated[int, Field(ge=0, le=_LATEST, examples=[4_102_444_800])]


class ScheduleMessageParams(Params):
    """POST /scheduled_messages: a message, its recipients and its delivery time."""

    type: MessageType
    """Whether it goes to a channel or to users. `stream` means `channel`, `private` means `direct`.
    """
    to: Recipients
    """The id of a channel, or ids of users."""
    content: Content
    """The text, in Markdown."""
    scheduled_delivery_timestamp: DeliveryTime
    """When to send it, in Unix seconds; it has to be in the future."""
    topic: Topic | None = None
    """Required in channels; `(no topic)` and the name of the empty topic mean the empty one."""
    read_by_sender: bool | None = None
    """Whether the sent message counts as read by you. If left out, it does for the apps that people
    use, and does not for other programs."""


class EditScheduledMessageParams(Params):
    """PATCH /scheduled_messages/{scheduled_message_id}: only what is passed changes."""

    type: MessageType | None = None
    """A different type also requires `to`, and in channels `topic`."""
    to: Recipients | None = None
    """The new channel id, or the new user ids."""
    content: Content | None = None
    """Replaces the text, in Markdown."""
    topic: Topic | None = None
    """Replaces the topic."""
    scheduled_delivery_timestamp: DeliveryTime | None = None
    """When to send it instead, in Unix seconds; required for a message that could not be sent."""
