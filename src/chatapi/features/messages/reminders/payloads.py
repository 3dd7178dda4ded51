"""Payloads of reminders."""

from typing import Literal

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class ReminderPayload(TypedDict):
    """A message that a user will get about another message."""

    reminder_id: int
    type: Literal["private"]
    to: list[int]
    content: str
    rendered_content: str
    scheduled_delivery_timestamp: UnixSeconds
    failed: bool
    reminder_target_message_id: int


class RemindersPayload(TypedDict):
    """A user's reminders, by time."""

    reminders: list[ReminderPayload]


class NewReminderPayload(TypedDict):
    """The id of a new reminder."""

    reminder_id: int
