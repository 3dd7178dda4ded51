"""Answers about subscriptions."""

from typing import NotRequired, cast

from typing_extensions import TypedDict

from chatapi.features.channels.payloads import ChannelPayload


class ChoicesPayload(TypedDict):
    """What a person chose for a channel; null: as they chose for channels in general."""

    color: str
    is_muted: bool
    pin_to_top: bool
    desktop_notifications: bool | None
    audible_notifications: bool | None
    push_notifications: bool | None
    email_notifications: bool | None
    wildcard_mentions_notify: bool | None


class WithSubscribers(TypedDict):
    """Who is in a channel, if the client asked."""

    subscribers: NotRequired[list[int]]
    partial_subscribers: NotRequired[list[int]]
    """Only some of them, where there are many and the client said that some are enough."""


class SubscriptionPayload(ChannelPayload, ChoicesPayload, WithSubscribers):
    """A channel with what the reader chose for it."""

    in_home_view: bool
    """The opposite of `is_muted`."""


class KnownChannelPayload(ChannelPayload, WithSubscribers):
    """A channel the reader never was in."""


class SubscriptionsPayload(TypedDict):
    """The channels the caller is in."""

    subscriptions: list[SubscriptionPayload]


class SubscribedPayload(TypedDict):
    """Who was subscribed to what, names of channels by user id."""

    subscribed: dict[str, list[str]]
    already_subscribed: dict[str, list[str]]
    unauthorized: NotRequired[list[str]]
    """Channels to which the caller may not subscribe anybody."""
    new_subscription_messages_sent: NotRequired[bool]


class UnsubscribedPayload(TypedDict):
    """Names of channels by what became of them."""

    removed: list[str]
    not_removed: list[str]


class ChangedSubscriptionsPayload(SubscribedPayload, UnsubscribedPayload):
    """Both at once."""


class IsSubscribedPayload(TypedDict):
    """Whether a user is in a channel."""

    is_subscribed: bool


class SubscribedChannelsPayload(TypedDict):
    """Ids of the channels a user is in, of those that exist for the caller."""

    subscribed_channel_ids: list[int]


def subscription_payload(channel: ChannelPayload, choices: ChoicesPayload) -> SubscriptionPayload:
    both = {**channel, **choices, "in_home_view": not choices["is_muted"]}
    return cast(SubscriptionPayload, both)
