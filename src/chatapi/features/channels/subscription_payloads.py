"""Response payloads of the subscription endpoints."""

from typing import Annotated, NotRequired, cast

import orjson
from typing_extensions import TypedDict

from chatapi.features.channels.payloads import ChannelPayload
from chatapi.wire.encoded import EncodedAs
from chatapi.wire.types import DEPRECATED


class ChoicesPayload(TypedDict):
    """A user's settings for a channel; null: the user's general setting applies."""

    color: str
    """The colour in which the reader's clients show the channel, such as `#76ce90`."""
    is_muted: bool
    """Whether the reader muted the channel: its messages do not notify, and count little."""
    pin_to_top: bool
    """Whether the reader's clients show the channel above the others."""
    desktop_notifications: bool | None
    """Whether all messages make desktop notifications; null: as
    `enable_stream_desktop_notifications` says."""
    audible_notifications: bool | None
    """Whether all messages make a sound; null: as `enable_stream_audible_notifications` says."""
    push_notifications: bool | None
    """Whether all messages make mobile notifications; null: as `enable_stream_push_notifications`
    says."""
    email_notifications: bool | None
    """Whether all messages are sent by email; null: as `enable_stream_email_notifications` says."""
    wildcard_mentions_notify: bool | None
    """Whether mentions of the whole channel notify; null: as the personal setting of that name
    says."""


class WithSubscribers(TypedDict):
    """The subscribers of a channel, if the client requested them."""

    subscribers: NotRequired[list[int]]
    """Ids of the active users in the channel, if the client asked for them and the reader may see
    them."""
    partial_subscribers: NotRequired[list[int]]
    """Instead of `subscribers`: only some, because the channel has many and the client asked for
    `partial`."""


class SubscriptionPayload(ChannelPayload, ChoicesPayload, WithSubscribers):
    """A channel with the reader's settings for it."""

    in_home_view: Annotated[bool, DEPRECATED]
    """The opposite of `is_muted`."""


class KnownChannelPayload(ChannelPayload, WithSubscribers):
    """A channel to which the reader was never subscribed."""


EncodedSubscription = Annotated[orjson.Fragment, EncodedAs(SubscriptionPayload)]
EncodedKnownChannel = Annotated[orjson.Fragment, EncodedAs(KnownChannelPayload)]


class SubscriptionsPayload(TypedDict):
    """The channels to which the caller is subscribed."""

    subscriptions: list[EncodedSubscription]
    """The channels to which you are subscribed, each with your settings for it."""


class SubscribedPayload(TypedDict):
    """The new subscriptions and those that existed: names of channels by user id."""

    subscribed: dict[str, list[str]]
    """Names of the channels that each user joined, by user id."""
    already_subscribed: dict[str, list[str]]
    """Names of the channels that each user was in before, by user id."""
    unauthorized: NotRequired[list[str]]
    """Names of channels that were skipped, since you may not subscribe users to them. Present if
    `authorization_errors_fatal` is false."""
    new_subscription_messages_sent: NotRequired[bool]
    """Whether users who were subscribed by you got a message about it. Absent if no other user
    was subscribed."""


class UnsubscribedPayload(TypedDict):
    """Names of channels, grouped by whether users were unsubscribed from them."""

    removed: list[str]
    """Names of channels from which at least one of the users was unsubscribed."""
    not_removed: list[str]
    """Names of channels in which none of them was."""


class ChangedSubscriptionsPayload(SubscribedPayload, UnsubscribedPayload):
    """The result of unsubscribing and subscribing in one request."""


class IsSubscribedPayload(TypedDict):
    """Whether a user is subscribed to a channel."""

    is_subscribed: bool
    """Whether the user of the path is in the channel of the path."""


class SubscribedChannelsPayload(TypedDict):
    """Ids of the channels to which a user is subscribed, of those that the caller can see."""

    subscribed_channel_ids: list[int]
    """Ids of the channels, in order."""


def subscription_payload(channel: ChannelPayload, choices: ChoicesPayload) -> SubscriptionPayload:
    return cast(SubscriptionPayload, {**channel, **choice_members(choices)})


def choice_members(choices: ChoicesPayload) -> dict[str, object]:
    """What a `SubscriptionPayload` has besides the channel."""
    return {**choices, "in_home_view": not choices["is_muted"]}
