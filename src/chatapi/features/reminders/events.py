"""Events about reminders; only their owner's own clients are told."""

from typing import ClassVar

from chatapi.core.ids import ScheduledMessageId
from chatapi.events.event import Event
from chatapi.features.reminders.payloads import ReminderPayload


class RemindersAdded(Event):
    """Somebody wants to be reminded of something."""

    type = "reminders"
    op: ClassVar = "add"
    changes_shared_state: ClassVar = False

    reminders: list[ReminderPayload]


class ReminderRemoved(Event):
    """A reminder was delivered, or is not wanted any more."""

    type = "reminders"
    op: ClassVar = "remove"
    changes_shared_state: ClassVar = False

    reminder_id: ScheduledMessageId
