"""Addresses at which clients show channels and topics."""

from functools import lru_cache
from urllib.parse import quote

from chatapi.rendering.directory import NamedChannel


def channel_address(channel: NamedChannel, topic: str | None = None) -> str:
    """The URL at which clients show a channel, or a topic of it."""
    slug = encode_fragment(f"{channel.id}-{channel.name.replace(' ', '-')}")
    address = f"/#narrow/channel/{slug}"
    return address if topic is None else f"{address}/topic/{encode_fragment(topic)}"


@lru_cache(maxsize=1024)
def encode_fragment(text: str) -> str:
    """Encode names as clients do in their URLs: percent encoding with dots for percent signs."""
    return quote(text, safe="").replace(".", "%2E").replace("%", ".")
