"""The form of conversations: who writes what where, and what others do with it; pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

OWNER = -1
"""The part of the organization's owner; all others are numbers."""
_BETWEEN_LINES = timedelta(minutes=7)

Attachment = Literal["chart", "notes"]


class Line(Struct, frozen=True):
    """A message, and what becomes of it."""

    who: int
    text: str
    reactions: Mapping[str, Sequence[int]] = field(default_factory=dict)
    edited_to: str | None = None
    attachment: Attachment | None = None
    is_starred: bool = False
    """By the owner."""


class Conversation(Struct, frozen=True):
    """Messages in a topic, or between some people if there is no channel."""

    days_ago: int
    hour: int
    lines: Sequence[Line]
    channel: str = ""
    topic: str = ""
    people: Sequence[int] = ()
    is_resolved: bool = False


class Moment(Struct, frozen=True):
    """A line at its time."""

    at: datetime
    conversation: Conversation
    line: Line

    @property
    def is_last(self) -> bool:
        return self.line is self.conversation.lines[-1]


def in_order_of_time(
    conversations: Sequence[Conversation], since: datetime, now: datetime
) -> Sequence[Moment]:
    """All lines as people would have written them, conversations side by side, none after now.

    If some would be before `since`, all are moved closer to now, and to each other.
    """
    moments = [moment for each in conversations for moment in _moments(each, now)]
    first = min(moment.at for moment in moments)
    pace = min(1.0, (now - since) / (now - first))
    moved = [replace(moment, at=now - (now - moment.at) * pace) for moment in moments]
    return sorted(moved, key=lambda moment: moment.at)


def _moments(conversation: Conversation, now: datetime) -> Iterator[Moment]:
    day = now - timedelta(days=conversation.days_ago)
    start = day.replace(hour=conversation.hour, minute=4, second=0, microsecond=0)
    # What belongs to today may still be to come: it ends just now.
    start = min(start, now - _BETWEEN_LINES * (len(conversation.lines) + 1))
    for number, line in enumerate(conversation.lines):
        yield Moment(start + number * _BETWEEN_LINES, conversation, line)
