"""The state of a client: the response of POST /register, kept up to date by events alone.

It is written from what clients are promised, not from what the server does, and shares nothing
with it.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]


@dataclass(frozen=True)
class Heard:
    """The conversation and text of a message, as the client has them."""

    place: tuple[object, ...]
    content: str
    flags: frozenset[str]
    reactions: frozenset[tuple[int, str]]


@dataclass
class View:
    """The state of one client."""

    user_id: int
    state: dict[str, Any]
    """The keys of POST /register."""
    lists_people: bool = True
    """Whether the client requested the subscribers of channels."""
    unread: dict[int, tuple[object, ...]] = field(default_factory=dict)
    """Where each unread message is."""
    unread_mentions: set[int] = field(default_factory=set)
    messages: dict[int, Heard] = field(default_factory=dict)
    """The messages the client received and would still show."""
    conversations: dict[tuple[int, ...], int] = field(default_factory=dict)
    """Direct conversations by their other users, with the newest message of each."""
    to_look_up: set[tuple[int, ...]] = field(default_factory=set)
    """Conversations whose newest message was deleted: the client fetches the one before."""
    files: dict[int, Event] = field(default_factory=dict)
    """The user's own files."""
    space_used: int = 0
    """The space that all files of the organization took when this client last heard of it."""
    log: list[Event] = field(default_factory=list)
    """The events so far, for debugging a difference."""

    def knows(self, section: str) -> bool:
        """Whether the client requested a part of the state."""
        return section in self.state


Apply = Callable[[View, Event], None]
_appliers: dict[str, list[Apply]] = {}


def applies(event_type: str) -> Callable[[Apply], Apply]:
    """Register a handler for events of a type."""

    def add(apply: Apply) -> Apply:
        _appliers.setdefault(event_type, []).append(apply)
        return apply

    return add


def apply_event(view: View, event: Event) -> None:
    """Apply one event; an unknown type is an error in the model."""
    view.log.append(event)
    if event["type"] == "heartbeat":
        return
    for apply in _appliers[event["type"]]:
        apply(view, deepcopy(event))


def known_types() -> frozenset[str]:
    """The types of events that the model handles."""
    return frozenset(_appliers)


def put(entries: list[dict[str, Any]], key: str, entry: dict[str, Any]) -> None:
    """Add an entry of a list, or replace the one with the same key."""
    entries[:] = [each for each in entries if each[key] != entry[key]]
    entries.append(entry)


def drop(entries: list[dict[str, Any]], key: str, value: object) -> None:
    """Take the entry with this key out of a list."""
    entries[:] = [each for each in entries if each[key] != value]
