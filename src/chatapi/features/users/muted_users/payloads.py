"""Payloads of muted users."""

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class MutedUserPayload(TypedDict):
    """A muted user, and since when."""

    id: int
    """The user whom you mute."""
    timestamp: UnixSeconds
    """Since when, in Unix seconds."""
