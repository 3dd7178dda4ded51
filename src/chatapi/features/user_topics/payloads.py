"""Topics' visibility as clients see it."""

from typing import TypeAlias

from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class UserTopicPayload(TypedDict):
    """What somebody chose for a topic."""

    stream_id: int
    topic_name: str
    last_updated: UnixSeconds
    visibility_policy: int


MutedTopicPayload: TypeAlias = tuple[str, str, UnixSeconds]
"""Name of the channel, topic, and when it was muted; for clients that know nothing newer."""
