"""Events about reminders; delivered only to the owner's own clients."""

from typing import ClassVar

from chatapi.core.ids import ScheduledMessageId
from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.event import Event
from chatapi.features.messages.reminders.payloads import ReminderPayload


class RemindersAdded(Event):
    """The reader created a reminder."""

    type = "reminders"
    op: ClassVar = "add"
    cache_tags: ClassVar = NO_CACHE_TAGS

    reminders: list[ReminderPayload]
    """The new reminder, as a list of one."""


class ReminderRemoved(Event):
    """A reminder was delivered or deleted."""

    type = "reminders"
    op: ClassVar = "remove"
    cache_tags: ClassVar = NO_CACHE_TAGS

    reminder_id: ScheduledMessageId
    """The reminder that was delivered or deleted."""
