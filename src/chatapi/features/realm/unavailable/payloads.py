"""Parts of the POST /register response about what this server does not offer."""

from typing import Literal

from typing_extensions import TypedDict


class GiphyState(TypedDict):
    """The key of the GIF service GIPHY: none."""

    giphy_api_key: Literal[""]


class TenorState(TypedDict):
    """The key of the GIF service Tenor: none."""

    tenor_api_key: Literal[""]


class KlipyState(TypedDict):
    """The key of the GIF service KLIPY: none."""

    klipy_api_key: Literal[""]


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
