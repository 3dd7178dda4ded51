"""Topics as clients send and see them: the empty one has a name for those who need one."""

from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints

from chatapi.core.names import EMPTY_TOPIC_DISPLAY_NAME
from chatapi.wire.limits import MAX_TOPIC_LENGTH

INVALID_CHARACTERS = "Invalid characters in topic"
_NO_TOPIC = "(no topic)"


def read_topic(topic: str) -> str:
    """The topic a client means: names of the empty topic stand for it."""
    topic = topic.strip()
    return "" if topic in {_NO_TOPIC, EMPTY_TOPIC_DISPLAY_NAME} else topic


def show_topic(topic: str, *, allow_empty: bool) -> str:
    """The topic as a client is shown it that may, or may not, understand an empty one."""
    return topic if topic or allow_empty else EMPTY_TOPIC_DISPLAY_NAME


def has_valid_characters(topic: str) -> bool:
    """Whether a topic is without control, bidirectional and other invisible characters."""
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
"""A topic parameter, with the names of the empty topic already read: for whatever takes one."""
