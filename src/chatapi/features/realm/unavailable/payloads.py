"""Parts of the POST /register response about what this server does not offer."""

from typing_extensions import TypedDict


class GiphyState(TypedDict):
    """The key of the GIF service GIPHY; empty: none."""

    giphy_api_key: str


class TenorState(TypedDict):
    """The key of the GIF service Tenor; empty: none."""

    tenor_api_key: str


class KlipyState(TypedDict):
    """The key of the GIF service KLIPY; empty: none."""

    klipy_api_key: str


class VideoCallsState(TypedDict):
    """Whether the caller has connected an account of a video call service."""

    has_zoom_token: bool
    has_webex_token: bool


class BillingPayload(TypedDict):
    """What clients show of plans; there are none."""

    has_pending_sponsorship_request: bool


class BillingState(TypedDict):
    """Plans and payments."""

    realm_billing: BillingPayload


class StopWordsState(TypedDict):
    """Words that search ignores; it ignores none."""

    stop_words: list[str]


class EmbeddedBotPayload(TypedDict):
    """A bot whose program runs inside the server."""

    name: str
    config: dict[str, str]


class EmbeddedBotsState(TypedDict):
    """The programs that bots can run inside the server."""

    realm_embedded_bots: list[EmbeddedBotPayload]


class WebhookOptionPayload(TypedDict):
    """A setting of a bot that receives the notifications of a service."""

    key: str
    label: str
    validator: str


class WebhookUrlOptionPayload(TypedDict):
    """A part of the address to which a service sends notifications."""

    key: str
    label: str
    input_type: str


class WebhookBotPayload(TypedDict):
    """A service whose notifications the server understands."""

    name: str
    display_name: str
    all_event_types: list[str]
    config_options: list[WebhookOptionPayload]
    url_options: list[WebhookUrlOptionPayload]


class WebhookBotsState(TypedDict):
    """The services whose notifications become messages."""

    realm_incoming_webhook_bots: list[WebhookBotPayload]
