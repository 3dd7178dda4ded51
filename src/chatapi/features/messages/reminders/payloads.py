"""Payloads of reminders."""

from typing import Literal

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class ReminderPayload(TypedDict):
    """A message that a user will get about another message."""

    reminder_id: int
    """Names the reminder in `DELETE /reminders/{reminder_id}`."""
    type: Literal["private"]
    """Always `private`: a reminder is a direct message."""
    to: list[int]
    """Who gets it: your own id."""
    content: str
    """The text you will get, in Markdown: a link to the message, and your note."""
    rendered_content: str
    """That text as HTML."""
    scheduled_delivery_timestamp: UnixSeconds
    """When you will be reminded, in Unix seconds."""
    failed: bool
    """Whether it could not be delivered."""
    reminder_target_message_id: int
    """The message that it is about."""


class RemindersPayload(TypedDict):
    """A user's reminders, by time."""

    reminders: list[ReminderPayload]
    """Your reminders, the next one first."""


class NewReminderPayload(TypedDict):
    """The id of a new reminder."""

    reminder_id: int
    """The id of the new reminder."""
