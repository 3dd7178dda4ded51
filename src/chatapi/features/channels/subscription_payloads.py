"""Response payloads of the subscription endpoints."""

from typing import Annotated, NotRequired, cast

from typing_extensions import TypedDict

from chatapi.features.channels.payloads import ChannelPayload
from chatapi.wire.types import DEPRECATED


class ChoicesPayload(TypedDict):
    """A user's settings for a channel; null: the user's general setting applies."""

    color: str
    is_muted: bool
    pin_to_top: bool
    desktop_notifications: bool | None
    audible_notifications: bool | None
    push_notifications: bool | None
    email_notifications: bool | None
    wildcard_mentions_notify: bool | None


class WithSubscribers(TypedDict):
    """The subscribers of a channel, if the client requested them."""

    subscribers: NotRequired[list[int]]
    partial_subscribers: NotRequired[list[int]]
    """Only some subscribers: the channel has many, and the client requested `partial`."""


class SubscriptionPayload(ChannelPayload, ChoicesPayload, WithSubscribers):
    """A channel with the reader's settings for it."""

    in_home_view: Annotated[bool, DEPRECATED]
    """The opposite of `is_muted`."""


class KnownChannelPayload(ChannelPayload, WithSubscribers):
    """A channel to which the reader was never subscribed."""


class SubscriptionsPayload(TypedDict):
    """The channels to which the caller is subscribed."""

    subscriptions: list[SubscriptionPayload]


class SubscribedPayload(TypedDict):
    """The new subscriptions and those that existed: names of channels by user id."""

    subscribed: dict[str, list[str]]
    already_subscribed: dict[str, list[str]]
    unauthorized: NotRequired[list[str]]
    """Channels to which the caller may not subscribe other users."""
    new_subscription_messages_sent: NotRequired[bool]


class UnsubscribedPayload(TypedDict):
    """Names of channels, grouped by whether users were unsubscribed from them."""

    removed: list[str]
    not_removed: list[str]


class ChangedSubscriptionsPayload(SubscribedPayload, UnsubscribedPayload):
    """The result of unsubscribing and subscribing in one request."""


class IsSubscribedPayload(TypedDict):
    """Whether a user is subscribed to a channel."""

    is_subscribed: bool


class SubscribedChannelsPayload(TypedDict):
    """Ids of the channels to which a user is subscribed, of those that the caller can see."""

    subscribed_channel_ids: list[int]


def subscription_payload(channel: ChannelPayload, choices: ChoicesPayload) -> SubscriptionPayload:
    both = {**channel, **choices, "in_home_view": not choices["is_muted"]}
    return cast(SubscriptionPayload, both)
