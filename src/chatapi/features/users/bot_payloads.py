"""Payloads of responses and events about bots."""

from typing_extensions import TypedDict

from chatapi.wire.secrets import Secret, ServiceToken


class BotDefaultsPayload(TypedDict):
    """Legacy configuration of bots; none of it can be changed here."""

    default_sending_stream: str | None
    """Always null: a setting of older servers."""
    default_events_register_stream: str | None
    """Always null: a setting of older servers."""
    default_all_public_streams: bool
    """Always false: a setting of older servers."""


class ServicePayload(TypedDict):
    """The service that an outgoing webhook bot calls."""

    base_url: str
    """The address that the server calls."""
    interface: int
    """The form of these calls; 1 is the only one."""
    token: ServiceToken
    """Sent with each call, so that the service knows who calls. Keep it secret."""


class BotPayload(BotDefaultsPayload):
    """A bot as its owner and administrators see it, beside what all users see of users."""

    user_id: int
    """The user that the bot is; `realm_users` has its name and picture."""
    services: list[ServicePayload]
    """Of an outgoing webhook bot: the service it calls, as a list of one. Empty for other bots."""


class CreatedBotPayload(BotDefaultsPayload):
    """A new bot and the only copy of its API key."""

    user_id: int
    """The user that the new bot is."""
    api_key: Secret
    """The password of the bot for HTTP Basic. It is shown only this once."""
    avatar_url: str
    """The picture of the bot."""


class OwnBotPayload(BotDefaultsPayload):
    """One of the caller's bots; its key cannot be returned, since only a digest is stored."""

    user_id: int
    """The user that the bot is."""
    username: str
    """The email address of the bot, its user name for HTTP Basic."""
    full_name: str
    """The name that people see."""
    avatar_url: str
    """The picture of the bot."""


class OwnBotsPayload(TypedDict):
    """The caller's bots."""

    bots: list[OwnBotPayload]
    """Your active bots."""


class LostBotPayload(TypedDict):
    """A bot that the reader may no longer manage."""

    user_id: int
    """The bot that clients should forget in their list of bots."""


NO_DEFAULTS: BotDefaultsPayload = {
    "default_sending_stream": None,
    "default_events_register_stream": None,
    "default_all_public_streams": False,
}
