"""Parameters of reminders."""

from typing import Annotated

from pydantic import Field

from chatapi.features.messages.scheduled.params import DeliveryTime
from chatapi.wire.limits import MAX_REMINDER_NOTE_LENGTH
from chatapi.wire.params import Params
from chatapi.wire.types import Id


class RemindParams(Params):
    """POST /reminders: which message, and when."""

    message_id: Id
    """The message that you want to be reminded of; you must be able to see it."""
    scheduled_delivery_timestamp: DeliveryTime
    """When to be reminded, in Unix seconds; it has to be in the future."""
    note: Annotated[str | None, Field(max_length=MAX_REMINDER_NOTE_LENGTH)] = None
    """What to tell you with the reminder, as plain text."""
