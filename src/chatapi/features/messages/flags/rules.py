"""How far a read position advances when messages are marked as read; pure."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile

from msgspec import Struct

from chatapi.core.ids import MessageId


class Advance(Struct, frozen=True):
    """The result of marking messages of one conversation as read."""

    boundary: MessageId | None
    """All messages up to it are read now; None: the oldest unread message stays unread."""
    beyond: list[MessageId]
    """Marked messages above it, which need exceptions."""


def advance(
    first_unread: Sequence[MessageId],
    marked: AbstractSet[MessageId],
    last_message: MessageId,
) -> Advance:
    """Advance past the messages read from the beginning, so that exceptions stay few.

    `first_unread` are the oldest unread messages of the conversation, at least one more than are
    marked, or all of them.
    """
    passed = list(takewhile(marked.__contains__, first_unread))
    boundary: MessageId | None = None
    if len(passed) == len(first_unread):
        boundary = last_message
    elif passed:
        boundary = MessageId(first_unread[len(passed)] - 1)
    return Advance(boundary, sorted(marked - set(passed)))
