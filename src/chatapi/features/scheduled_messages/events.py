"""Events about scheduled messages; only their owner's own clients are told."""

from typing import ClassVar

from chatapi.core.ids import ScheduledMessageId
from chatapi.events.event import Event
from chatapi.features.scheduled_messages.payloads import ScheduledMessagePayload


class ScheduledMessagesAdded(Event):
    """Something was scheduled."""

    type = "scheduled_messages"
    op: ClassVar = "add"
    changes_shared_state: ClassVar = False

    scheduled_messages: list[ScheduledMessagePayload]


class ScheduledMessageUpdated(Event):
    """What was scheduled has changed, or could not be sent."""

    type = "scheduled_messages"
    op: ClassVar = "update"
    changes_shared_state: ClassVar = False

    scheduled_message: ScheduledMessagePayload


class ScheduledMessageRemoved(Event):
    """What was scheduled has been sent, or will not be sent."""

    type = "scheduled_messages"
    op: ClassVar = "remove"
    changes_shared_state: ClassVar = False

    scheduled_message_id: ScheduledMessageId
