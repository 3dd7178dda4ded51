"""Who may see and who has read what, in a few lines that share nothing with the service."""

from dataclasses import dataclass, field
from typing import Literal

ChannelKind = Literal["public", "web_public", "private", "protected"]


@dataclass(frozen=True)
class Sent:
    """A message, and who was there when it was sent."""

    id: int
    sender: str
    channel: str | None
    topic: str
    audience: frozenset[str]


@dataclass
class Oracle:
    """An organization as a few dictionaries."""

    guests: set[str]
    kinds: dict[str, ChannelKind] = field(default_factory=dict)
    members: dict[str, set[str]] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    unread: dict[str, set[int]] = field(default_factory=dict)

    def is_open_to(self, person: str, channel: str) -> bool:
        """Whether somebody may write, whether or not they are in the channel."""
        is_public = self.kinds[channel] in {"public", "web_public"}
        return person in self.members[channel] or (is_public and person not in self.guests)

    def sees(self, person: str, message: Sent) -> bool:
        if message.channel is None:
            return person in message.audience
        is_inside = person in self.members[message.channel]
        match self.kinds[message.channel]:
            case "web_public":
                return True
            case "public":
                return is_inside or person not in self.guests
            case "private":
                return is_inside
            case "protected":
                return is_inside and person in message.audience

    def visible(self, person: str) -> list[int]:
        return [message.id for message in self.sent if self.sees(person, message)]

    def feed(self, person: str) -> list[int]:
        """What reached somebody, as long as they are still there."""
        return [
            message.id
            for message in self.sent
            if person in message.audience
            and (message.channel is None or person in self.members[message.channel])
        ]

    def can_be_unread(self, person: str, message: Sent) -> bool:
        """Whether somebody may have it unread: direct messages, and channels they are in."""
        is_inside = message.channel is None or person in self.members[message.channel]
        return is_inside and self.sees(person, message)

    def send(self, message: Sent, *, is_read_by_sender: bool) -> None:
        self.sent.append(message)
        for person in message.audience:
            if not (is_read_by_sender and person == message.sender):
                self.unread.setdefault(person, set()).add(message.id)

    def leave(self, person: str, channel: str) -> None:
        self.members[channel].discard(person)
        self.read(person, [each for each in self.sent if each.channel == channel])

    def read(self, person: str, messages: list[Sent]) -> None:
        self.unread.setdefault(person, set()).difference_update(each.id for each in messages)
