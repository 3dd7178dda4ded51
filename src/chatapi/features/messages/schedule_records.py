"""Records of scheduled messages and reminders."""

from datetime import datetime

from msgspec import Struct

from chatapi.core.clock import unix_seconds
from chatapi.core.ids import ChannelId, MessageId, RealmId, ScheduledMessageId, UserId
from chatapi.features.messages.schedule_payloads import ScheduledMessagePayload

UNSAVED = ScheduledMessageId(0)
"""Placeholder for the id that the database will assign."""


class ScheduledRecord(Struct, frozen=True):
    """A scheduled message, or a reminder: a message to oneself from the notification bot."""

    id: ScheduledMessageId
    realm_id: RealmId
    owner_id: UserId
    channel_id: ChannelId | None
    topic: str
    people: list[UserId]
    content: str
    rendered_content: str
    deliver_at: datetime
    client_name: str
    read_by_sender: bool
    failure: str | None = None
    about_message_id: MessageId | None = None
    note: str = ""

    @property
    def is_direct(self) -> bool:
        return self.channel_id is None

    @property
    def is_reminder(self) -> bool:
        return self.about_message_id is not None

    @property
    def has_failed(self) -> bool:
        return self.failure is not None

    @property
    def to(self) -> int | list[int]:
        """The recipients as requests name them."""
        return [*self.people] if self.channel_id is None else self.channel_id

    def payload(self) -> ScheduledMessagePayload:
        """The payload of a scheduled message for its owner."""
        payload: ScheduledMessagePayload = {
            "scheduled_message_id": self.id,
            "type": "private" if self.is_direct else "stream",
            "to": self.to,
            "content": self.content,
            "rendered_content": self.rendered_content,
            "scheduled_delivery_timestamp": unix_seconds(self.deliver_at),
            "failed": self.has_failed,
        }
        if not self.is_direct:
            payload["topic"] = self.topic
        return payload
