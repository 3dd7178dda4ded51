"""Errors of sending messages."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class StreamWildcardMentionNotAllowedError(ApiError):
    """The channel has many subscribers, and the sender may not mention them all."""

    code: ClassVar[str] = "STREAM_WILDCARD_MENTION_NOT_ALLOWED"
    text: ClassVar[str] = "You do not have permission to use channel wildcard mentions here."


@dataclass(eq=False)
class TopicWildcardMentionNotAllowedError(ApiError):
    """The topic has many participants, and the sender may not mention them all."""

    code: ClassVar[str] = "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
    text: ClassVar[str] = "You do not have permission to use topic wildcard mentions here."
