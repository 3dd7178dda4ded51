"""The kinds of things that are scheduled, and what differs between them."""

from collections.abc import Sequence
from typing import Protocol

from chatapi.auth.context import Context, RealmContext
from chatapi.events.event import Event
from chatapi.features.messages.outgoing import OutgoingMessage
from chatapi.features.reminders.delivery import ReminderDelivery
from chatapi.features.scheduled_messages.delivery import MessageDelivery
from chatapi.features.scheduled_messages.records import ScheduledRecord


class DeliveryKind(Protocol):
    """What a feature says about the delivery of what it schedules."""

    async def compose(self, ctx: Context, record: ScheduledRecord) -> OutgoingMessage:
        """The message to be written; refusals are raised as they are in requests."""

    def removed(self, record: ScheduledRecord) -> Event:
        """What the owner's clients are told when it is delivered."""

    async def notify_failed(self, ctx: RealmContext, records: Sequence[ScheduledRecord]) -> None:
        """Tell the owners of what will not be delivered."""


_MESSAGES, _REMINDERS = MessageDelivery(), ReminderDelivery()
KINDS: Sequence[DeliveryKind] = (_MESSAGES, _REMINDERS)


def delivery_kind_of(record: ScheduledRecord) -> DeliveryKind:
    return _REMINDERS if record.is_reminder else _MESSAGES
