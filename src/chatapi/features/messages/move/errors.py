"""Errors of moving messages."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError
from chatapi.core.ids import MessageId


@dataclass(eq=False)
class MoveTimeLimitError(ApiError):
    """Some of the messages are too old to be moved by the caller; others are not."""

    code: ClassVar[str] = "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"
    text: ClassVar[str] = (
        "Only {total_messages_allowed_to_move} of the {total_messages_in_topic} messages "
        "in this topic are recent enough for you to move."
    )
    first_message_id_allowed_to_move: MessageId | None
    """The oldest message of the topic that you may still move; null if there is none."""
    total_messages_allowed_to_move: int
    """How many messages of the topic you may still move."""
    total_messages_in_topic: int
    """How many messages the topic has, as far as you can see them."""
