"""Topic names in requests and responses, including display names of the empty topic."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints

from chatapi.core.names import EMPTY_TOPIC_DISPLAY_NAME
from chatapi.wire.limits import MAX_TOPIC_LENGTH

INVALID_CHARACTERS = "Invalid characters in topic"
_NO_TOPIC = "(no topic)"


def read_topic(topic: str) -> str:
    """Read a topic name from a client: the names of the empty topic become ""."""
    topic = topic.strip()
    return "" if topic in {_NO_TOPIC, EMPTY_TOPIC_DISPLAY_NAME} else topic


def show_topic(topic: str, *, allow_empty: bool) -> str:
    """The topic name for a client, which may or may not support the empty topic."""
    return topic if topic or allow_empty else EMPTY_TOPIC_DISPLAY_NAME


def has_valid_characters(topic: str) -> bool:
    """Whether a topic has no control, bidirectional or other invisible characters."""
    return topic.isprintable()


def _check_characters(topic: str) -> str:
    if not has_valid_characters(topic):
        raise ValueError(INVALID_CHARACTERS)
    return topic


Topic: TypeAlias = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=MAX_TOPIC_LENGTH),
    AfterValidator(_check_characters),
    AfterValidator(read_topic),
    Field(examples=["greetings"]),
]
"""A topic parameter; the names of the empty topic are already converted. Use it for all topics."""
