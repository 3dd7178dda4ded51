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
from chatapi.wire.params import JsonOrString, Params, WireModel, with_example
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
    description: ChannelDescription = ""
    color: Color | None = None


def _check_descriptions(channels: list[ChannelToJoin]) -> list[ChannelToJoin]:
    if sum(len(channel.description) for channel in channels) > _MAX_DESCRIPTIONS:
        raise ValueError(
            f"Descriptions are too long for one request (limit: {_MAX_DESCRIPTIONS} characters)"
        )
    return channels


ChannelsToJoin = Annotated[
    list[ChannelToJoin],
    Field(max_length=MAX_CHANNELS, examples=[[{"name": "general"}]]),
    AfterValidator(_check_descriptions),
]


class SubscribeParams(ChannelOptions):
    """SPEC 4.4, POST /users/me/subscriptions; channel options apply to new channels only."""

    subscriptions: ChannelsToJoin
    principals: Principals | None = Field(
        default=None,
        description="Who is subscribed, by id or by API email; the caller if left out.",
        examples=[[9, 10]],
    )
    authorization_errors_fatal: bool = Field(
        default=True,
        description="If `false`, channels the caller has no right to are listed in the answer.",
    )
    send_new_subscription_messages: bool = Field(
        default=True,
        description="Whether those who are subscribed by somebody else get a message about it.",
    )


class UnsubscribeParams(Params):
    """DELETE /users/me/subscriptions."""

    subscriptions: ChannelNames = Field(examples=[["general"]])
    principals: Principals | None = Field(
        default=None,
        description="Who is taken out, by id or by API email; the caller if left out.",
        examples=[[9, 10]],
    )


class ChangeSubscriptionsParams(Params):
    """PATCH /users/me/subscriptions: unsubscribe the caller from some channels, join others."""

    model_config = with_example(add=[{"name": "lunch"}])

    delete: ChannelNames = Field(default=[], description="Channels to leave, by name.")
    add: ChannelsToJoin = Field(default=[], description="Channels to join.")


class ListSubscriptionsParams(Params):
    """GET /users/me/subscriptions."""

    include_subscribers: Literal["true", "false", "partial"] = Field(
        default="false", description="Whether channels come with their subscribers."
    )


class PropertyChange(WireModel):
    """A new value for one property of one subscription."""

    stream_id: Id
    property: Property
    value: Choice


class ChangePropertiesParams(Params):
    """SPEC 4.5, POST /users/me/subscriptions/properties."""

    subscription_data: Annotated[
        list[PropertyChange],
        Field(
            max_length=_MAX_CHOICES,
            examples=[[{"stream_id": 1, "property": "pin_to_top", "value": True}]],
        ),
    ]


class ChangePropertyParams(Params):
    """PATCH /users/me/subscriptions/{stream_id}."""

    model_config = with_example(property="color", value="#a1b2c3")

    property: Property
    value: Annotated[Choice, JsonOrString()]
