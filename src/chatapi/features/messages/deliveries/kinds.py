"""The kinds of scheduled messages, and their differences."""

from collections.abc import Sequence
from typing import Protocol

from chatapi.auth.context import Context, RealmContext
from chatapi.events.event import Event
from chatapi.features.messages.outgoing import OutgoingMessage
from chatapi.features.messages.reminders.delivery import ReminderDelivery
from chatapi.features.messages.schedule_records import ScheduledRecord
from chatapi.features.messages.scheduled.delivery import MessageDelivery


class DeliveryKind(Protocol):
    """Implemented by each feature that schedules messages."""

    async def compose(self, ctx: Context, record: ScheduledRecord) -> OutgoingMessage:
        """The message to write; refusals are raised as in requests."""

    def removed(self, record: ScheduledRecord) -> Event:
        """The event for the owner's clients when it is delivered."""

    async def notify_failed(self, ctx: RealmContext, records: Sequence[ScheduledRecord]) -> None:
        """Notify the owners of messages that will not be delivered."""


_MESSAGES, _REMINDERS = MessageDelivery(), ReminderDelivery()
KINDS: Sequence[DeliveryKind] = (_MESSAGES, _REMINDERS)


def delivery_kind_of(record: ScheduledRecord) -> DeliveryKind:
    return _REMINDERS if record.is_reminder else _MESSAGES
