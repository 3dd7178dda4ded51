"""Topics' visibility as clients see it."""

from typing import Annotated, TypeAlias

from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from chatapi.wire.types import UnixSeconds


class UserTopicPayload(TypedDict):
    """What somebody chose for a topic."""

    stream_id: int
    topic_name: str
    last_updated: UnixSeconds
    visibility_policy: int


MutedTopicPayload: TypeAlias = Annotated[
    tuple[str, str, UnixSeconds],
    # Tools that read the document do not all know lists whose places have types of their own.
    WithJsonSchema(
        {
            "type": "array",
            "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "minItems": 3,
            "maxItems": 3,
        }
    ),
]
"""Name of the channel, topic, and when it was muted; for clients that know nothing newer."""
