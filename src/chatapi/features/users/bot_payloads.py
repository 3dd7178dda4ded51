"""Payloads of responses and events about bots."""

from typing_extensions import TypedDict

from chatapi.wire.secrets import Secret, ServiceToken


class BotDefaultsPayload(TypedDict):
    """Legacy configuration of bots; none of it can be changed here."""

    default_sending_stream: str | None
    default_events_register_stream: str | None
    default_all_public_streams: bool


class ServicePayload(TypedDict):
    """The service that an outgoing webhook bot calls."""

    base_url: str
    interface: int
    token: ServiceToken


class BotPayload(BotDefaultsPayload):
    """A bot as its owner and administrators see it, beside what all users see of users."""

    user_id: int
    services: list[ServicePayload]


class CreatedBotPayload(BotDefaultsPayload):
    """A new bot and the only copy of its API key."""

    user_id: int
    api_key: Secret
    avatar_url: str


class OwnBotPayload(BotDefaultsPayload):
    """One of the caller's bots; its key cannot be returned, since only a digest is stored."""

    user_id: int
    username: str
    full_name: str
    avatar_url: str


class OwnBotsPayload(TypedDict):
    """The caller's bots."""

    bots: list[OwnBotPayload]


class LostBotPayload(TypedDict):
    """A bot that the reader may no longer manage."""

    user_id: int


NO_DEFAULTS: BotDefaultsPayload = {
    "default_sending_stream": None,
    "default_events_register_stream": None,
    "default_all_public_streams": False,
}
