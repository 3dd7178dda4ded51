"""A reader's groups and the periods in which they were subscribed to channels."""

from collections.abc import Mapping

from msgspec import Struct

from chatapi.core.ids import ChannelId, EventNumber, GroupId, MessageId
from chatapi.core.roles import Role


class SubscriptionPeriod(Struct, frozen=True):
    """The time from joining a channel to leaving it, in event numbers and message ids."""

    since_event: EventNumber
    until_event: EventNumber | None
    since_message: MessageId
    until_message: MessageId | None

    def saw_event(self, number: EventNumber) -> bool:
        if number <= self.since_event:
            return False
        return self.until_event is None or number <= self.until_event

    def saw_message(self, message_id: MessageId) -> bool:
        """Whether a message was sent in the period."""
        if message_id <= self.since_message:
            return False
        return self.until_message is None or message_id <= self.until_message


class Membership(Struct, frozen=True):
    """What audiences and access rules need to know about a reader, besides their role."""

    groups: frozenset[GroupId]
    subscription_periods: Mapping[ChannelId, tuple[SubscriptionPeriod, ...]]
    """All subscription periods by channel, the latest one last."""

    def is_subscribed(self, channel_id: ChannelId) -> bool:
        subscription_periods = self.subscription_periods.get(channel_id)
        return subscription_periods is not None and subscription_periods[-1].until_event is None

    def was_subscribed(self, channel_id: ChannelId, number: EventNumber) -> bool:
        """Whether the reader was subscribed to the channel as of the event with this number."""
        # Asked for every poll that waits: a loop is faster than `any` with a generator.
        for period in self.subscription_periods.get(channel_id, ()):
            if period.saw_event(number):
                return True
        return False

    def received(
        self, channel_id: ChannelId, message_id: MessageId, arrival: EventNumber | None = None
    ) -> bool:
        """Whether the reader was subscribed when a message came: sent, or moved by `arrival`."""
        if arrival is not None:
            return self.was_subscribed(channel_id, arrival)
        # A loop for the same reason: asked for every message of a page.
        for period in self.subscription_periods.get(channel_id, ()):
            if period.saw_message(message_id):
                return True
        return False

    def received_all_since(self, channel_id: ChannelId, message_id: MessageId) -> bool:
        """Whether the reader has been subscribed since before a message was sent."""
        subscription_periods = self.subscription_periods.get(channel_id)
        if subscription_periods is None:
            return False
        latest = subscription_periods[-1]
        return latest.until_message is None and latest.saw_message(message_id)

    def received_among(
        self, channel_id: ChannelId, arrivals: Mapping[MessageId, EventNumber | None]
    ) -> list[MessageId]:
        """Return those of the messages that arrived while the reader was subscribed."""
        return [
            message_id
            for message_id, arrival in arrivals.items()
            if self.received(channel_id, message_id, arrival)
        ]


class PastRole(Struct, frozen=True):
    """A role that a reader had before the current one, and the groups they were in with it."""

    until_event: EventNumber
    """The last event at which they had this role."""
    role: Role
    groups: frozenset[GroupId]


NO_MEMBERSHIP = Membership(frozenset(), {})
"""The membership of a reader who is in no group and no channel."""
