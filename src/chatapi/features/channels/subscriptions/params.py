"""Parameters of the subscription endpoints."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from chatapi.features.channels.params import (
    MAX_USERS,
    ChannelDescription,
    ChannelName,
    ChannelOptions,
)
from chatapi.features.channels.subscriptions.colors import is_color
from chatapi.wire.limits import MAX_MESSAGE_LENGTH
from chatapi.wire.params import JsonOrString, Params, WireModel
from chatapi.wire.types import Id

MAX_CHANNELS = 100
"""The realm is locked while channels are created, joined and left, so other writers wait."""
MAX_PAIRS = MAX_USERS
"""The most (user, channel) pairs in one request, whether of one user or of one channel."""
_MAX_CHOICES = 1_000
_MAX_DESCRIPTIONS = MAX_MESSAGE_LENGTH
"""Limit for all descriptions together: they are rendered, twice, while other writers wait."""
_MAX_EMAIL_LENGTH = 254


def _check_color(color: str) -> str:
    if not is_color(color):
        raise ValueError("Invalid color, expected a form like #a1b2c3")
    return color


Color = Annotated[str, AfterValidator(_check_color), Field(max_length=10, examples=["#76ce90"])]
ChannelNames = Annotated[list[ChannelName], Field(max_length=MAX_CHANNELS)]
Principals = (
    Annotated[list[Id], Field(max_length=MAX_USERS)]
    | Annotated[
        list[Annotated[str, Field(max_length=_MAX_EMAIL_LENGTH)]], Field(max_length=MAX_USERS)
    ]
)
Property = Literal[
    "color",
    "is_muted",
    "in_home_view",
    "pin_to_top",
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
]


Choice = bool | Annotated[str, Field(max_length=10)]
"""A colour, or a boolean."""


class ChannelToJoin(WireModel):
    """A channel by name; the other fields apply only if the channel does not exist yet."""

    name: ChannelName
    """The name of a channel. If none has it, a channel is created, which needs the permission for
    that."""
    description: ChannelDescription = ""
    """Of a channel that is created: what it is for, in Markdown. Ignored if the channel exists."""
    color: Color | None = None
    """The colour in which your clients show it, such as `#76ce90`; one is chosen if left out."""


def _check_descriptions(channels: list[ChannelToJoin]) -> list[ChannelToJoin]:
    if sum(len(channel.description) for channel in channels) > _MAX_DESCRIPTIONS:
        raise ValueError(
            f"Descriptions are too long for one request (limit: {_MAX_DESCRIPTIONS} characters)"
        )
    return channels


ChannelsToJoin = Annotated[
    list[ChannelToJoin],
    Field(max_length=MAX_CHANNELS),
    AfterValidator(_check_descriptions),
]


class SubscribeParams(ChannelOptions):
    """SPEC 4.4, POST /users/me/subscriptions; channel options apply to new channels only."""

    subscriptions: ChannelsToJoin
    """The channels to join, at most 100."""
    principals: Principals | None = Field(default=None, examples=[[9, 10]])
    """Who is subscribed, as user ids or as API emails; yourself if left out."""
    authorization_errors_fatal: bool = True
    """If true, one channel that you may not join or subscribe users to refuses the whole request;
    if false, such channels are skipped and listed in `unauthorized`."""
    send_new_subscription_messages: bool = True
    """Whether users who are subscribed by you get a message about it."""


class UnsubscribeParams(Params):
    """DELETE /users/me/subscriptions."""

    subscriptions: ChannelNames
    """Names of the channels to leave."""
    principals: Principals | None = Field(default=None, examples=[[9, 10]])
    """Who is unsubscribed, as user ids or as API emails; yourself if left out."""


class ChangeSubscriptionsParams(Params):
    """PATCH /users/me/subscriptions: unsubscribe the caller from some channels, join others."""

    delete: ChannelNames = Field(default=[])
    """Names of the channels to leave."""
    add: ChannelsToJoin = Field(default=[])
    """The channels to join; those that do not exist are created."""


class ListSubscriptionsParams(Params):
    """GET /users/me/subscriptions."""

    include_subscribers: Literal["true", "false", "partial"] = "false"
    """Whether each channel comes with its subscribers; `partial` for only some of them in large
    channels."""


class PropertyChange(WireModel):
    """A new value for one property of one subscription."""

    stream_id: Id
    """The channel; you must be subscribed to it."""
    property: Property
    """Which of your settings for the channel. `in_home_view` is the opposite of `is_muted`."""
    value: Choice
    """The new value: a colour such as `#76ce90` for `color`, else a boolean."""


class ChangePropertiesParams(Params):
    """SPEC 4.5, POST /users/me/subscriptions/properties."""

    subscription_data: Annotated[
        list[PropertyChange],
        Field(max_length=_MAX_CHOICES),
    ]
    """The changes, at most 1,000; all of them or none."""


class ChangePropertyParams(Params):
    """PATCH /users/me/subscriptions/{stream_id}."""

    property: Property
    """Which of your settings for the channel. `in_home_view` is the opposite of `is_muted`."""
    value: Annotated[Choice, JsonOrString()]
    """The new value: a colour such as `#76ce90` for `color`, else a boolean."""
