"""Parts of the POST /register response about what this server does not offer."""

from typing import Literal

from typing_extensions import TypedDict


class GiphyState(TypedDict):
    """The key of the GIF service GIPHY: none."""

    giphy_api_key: Literal[""]
    """The key of the GIF service GIPHY. Always empty: clients offer no GIFs."""


class TenorState(TypedDict):
    """The key of the GIF service Tenor: none."""

    tenor_api_key: Literal[""]
    """The key of the GIF service Tenor. Always empty: clients offer no GIFs."""


class KlipyState(TypedDict):
    """The key of the GIF service KLIPY: none."""

    klipy_api_key: Literal[""]
    """The key of the GIF service KLIPY. Always empty: clients offer no GIFs."""


class VideoCallsState(TypedDict):
    """Whether the caller has connected an account of a video call service."""

    has_zoom_token: bool
    """Always false: accounts of Zoom cannot be connected."""
    has_webex_token: bool
    """Always false: accounts of Webex cannot be connected."""


class BillingPayload(TypedDict):
    """What clients show of plans; there are none."""

    has_pending_sponsorship_request: bool
    """Always false: there are no plans."""


class BillingState(TypedDict):
    """Plans and payments."""

    realm_billing: BillingPayload
    """Plans and payments, which this server does not have."""


class StopWordsState(TypedDict):
    """Words that search ignores; it ignores none."""

    stop_words: list[str]
    """Words that search ignores. Always empty: it ignores none."""


class EmbeddedBotPayload(TypedDict):
    """A bot whose program runs inside the server."""

    name: str
    """The name of the program."""
    config: dict[str, str]
    """Its settings by name, with their defaults."""


class EmbeddedBotsState(TypedDict):
    """The programs that bots can run inside the server."""

    realm_embedded_bots: list[EmbeddedBotPayload]
    """Programs that bots can run inside the server. Always empty here."""
