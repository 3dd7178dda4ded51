"""Reminders as clients see them."""

from typing import Literal

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class ReminderPayload(TypedDict):
    """A message that somebody will get about another message."""

    reminder_id: int
    type: Literal["private"]
    to: list[int]
    content: str
    rendered_content: str
    scheduled_delivery_timestamp: UnixSeconds
    failed: bool
    reminder_target_message_id: int


class RemindersPayload(TypedDict):
    """What somebody wants to be reminded of, by time."""

    reminders: list[ReminderPayload]


class NewReminderPayload(TypedDict):
    """The id of a new reminder."""

    reminder_id: int
