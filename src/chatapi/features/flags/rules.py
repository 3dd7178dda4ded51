"""How far a position moves when messages are marked as read; pure."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import takewhile

from chatapi.core.ids import MessageId


@dataclass(frozen=True)
class Advance:
    """What marking messages of one conversation comes to."""

    boundary: MessageId | None
    """Everything up to it is read now; None: the oldest unread message stays unread."""
    beyond: list[MessageId]
    """Marked messages above it, which have to be noted one by one."""


def advance(
    first_unread: Sequence[MessageId],
    marked: AbstractSet[MessageId],
    last_message: MessageId,
) -> Advance:
    """Move past what is read from the beginning, so that single notes stay few.

    `first_unread` are the oldest unread messages of the conversation, at least one more than
    are marked, or all of them.
    """
    passed = list(takewhile(marked.__contains__, first_unread))
    boundary: MessageId | None = None
    if len(passed) == len(first_unread):
        boundary = last_message
    elif passed:
        boundary = MessageId(first_unread[len(passed)] - 1)
    return Advance(boundary, sorted(marked - set(passed)))
