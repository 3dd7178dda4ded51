"""Payloads of topic policies."""

from typing import Annotated, TypeAlias

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class UserTopicPayload(TypedDict):
    """A user's policy for a topic."""

    stream_id: int
    """The channel of the topic."""
    topic_name: str
    """The topic, in the case in which the policy was set."""
    last_updated: UnixSeconds
    """When you set the policy, in Unix seconds."""
    visibility_policy: int
    """1: muted, 2: unmuted (in a muted channel), 3: followed."""


MutedTopicPayload: TypeAlias = Annotated[
    tuple[str, str, UnixSeconds],
    # Not all tools that read the OpenAPI document support tuples.
    WithJsonSchema(
        {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, {"type": "integer", "format": "int64"}]},
            "minItems": 3,
            "maxItems": 3,
        }
    ),
]
"""Channel name, topic, and when it was muted; for clients that know only the older format."""
