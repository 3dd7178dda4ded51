"""Muted users as clients see them."""

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class MutedUserPayload(TypedDict):
    """Somebody who is muted, and since when."""

    id: int
    timestamp: UnixSeconds
