"""Events about scheduled messages; delivered only to the owner's own clients."""

from typing import ClassVar

from chatapi.core.ids import ScheduledMessageId
from chatapi.events.cache_tags import NO_CACHE_TAGS
from chatapi.events.event import Event
from chatapi.features.messages.schedule_payloads import ScheduledMessagePayload


class ScheduledMessagesAdded(Event):
    """Messages were scheduled."""

    type = "scheduled_messages"
    op: ClassVar = "add"
    cache_tags: ClassVar = NO_CACHE_TAGS

    scheduled_messages: list[ScheduledMessagePayload]
    """The new scheduled message, as a list of one."""


class ScheduledMessageUpdated(Event):
    """A scheduled message was changed, or could not be sent."""

    type = "scheduled_messages"
    op: ClassVar = "update"
    cache_tags: ClassVar = NO_CACHE_TAGS

    scheduled_message: ScheduledMessagePayload
    """The scheduled message as it is now."""


class ScheduledMessageRemoved(Event):
    """A scheduled message was sent or deleted."""

    type = "scheduled_messages"
    op: ClassVar = "remove"
    cache_tags: ClassVar = NO_CACHE_TAGS

    scheduled_message_id: ScheduledMessageId
    """The scheduled message that was sent or deleted."""
