"""Visibility and read state, in a few lines that share no code with the service."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

ChannelKind = Literal["public", "web_public", "private", "protected"]
Mode = Literal["change_one", "change_later", "change_all"]
Place = tuple[str, str]
"""A channel and a topic, in lower case."""


@dataclass(frozen=True)
class Sent:
    """A message, and the subscribers when it came to its conversation."""

    id: int
    sender: str
    channel: str | None
    topic: str
    audience: frozenset[str]
    text: str
    reactions: frozenset[tuple[str, str]] = frozenset()
    texts: tuple[str, ...] = ()
    """Its earlier texts."""

    @property
    def place(self) -> Place | None:
        return None if self.channel is None else (self.channel, self.topic.lower())


@dataclass
class Oracle:
    """A realm as a few dictionaries."""

    guests: set[str]
    admins: set[str]
    kinds: dict[str, ChannelKind] = field(default_factory=dict)
    members: dict[str, set[str]] = field(default_factory=dict)
    messages: dict[int, Sent] = field(default_factory=dict)
    unread: dict[str, set[int]] = field(default_factory=dict)
    starred: dict[str, set[int]] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    newest: int = 0

    @property
    def sent(self) -> list[Sent]:
        """The oldest first."""
        return sorted(self.messages.values(), key=lambda message: message.id)

    def is_open_to(self, person: str, channel: str) -> bool:
        """Whether a user may send, whether or not they are subscribed."""
        is_public = self.kinds[channel] in {"public", "web_public"}
        return person in self.members[channel] or (is_public and person not in self.guests)

    def reads(self, person: str, channel: str) -> bool:
        return self.kinds[channel] == "web_public" or self.is_open_to(person, channel)

    def knows(self, person: str, channel: str) -> bool:
        return person in self.admins or self.reads(person, channel)

    def sees(self, person: str, message: Sent) -> bool:
        if message.channel is None:
            return person in message.audience
        if self.kinds[message.channel] == "protected":
            return person in self.members[message.channel] and person in message.audience
        return self.reads(person, message.channel)

    def visible(self, person: str) -> list[Sent]:
        return [message for message in self.sent if self.sees(person, message)]

    def reaches(self, person: str, message: Sent) -> bool:
        """Whether a user gets events about a message."""
        is_inside = message.channel is None or person in self.members[message.channel]
        return is_inside and self.sees(person, message)

    def feed(self, person: str) -> list[Sent]:
        """The messages sent to a user, as long as they are still subscribed."""
        return [
            message
            for message in self.sent
            if self.reaches(person, message) and person in message.audience
        ]

    def found(self, person: str, word: str) -> list[Sent]:
        """The search results of a user among the messages sent to them."""
        return [
            message
            for message in self.feed(person)
            if word in re.findall(r"\w+", f"{message.text} {message.topic}".lower())
        ]

    def readers(self, message: Sent) -> set[str]:
        """The users who have read a message, except its sender."""
        return {
            person
            for person in message.audience - {message.sender}
            if self.reaches(person, message) and message.id not in self.unread[person]
        }

    def in_place(self, place: Place) -> list[Sent]:
        return [message for message in self.sent if message.place == place]

    def create(self, channel: str, kind: ChannelKind) -> None:
        self.kinds[channel] = kind
        self.members[channel] = set()

    def join(self, person: str, channel: str) -> None:
        self.members[channel].add(person)

    def leave(self, person: str, channel: str) -> None:
        self.members[channel].discard(person)
        self.read(person, [each for each in self.sent if each.channel == channel])

    def send(self, message: Sent, *, is_read_by_sender: bool) -> None:
        self.messages[message.id] = message
        self.newest = message.id
        for person in message.audience:
            if not (is_read_by_sender and person == message.sender):
                self.unread[person].add(message.id)

    def read(self, person: str, messages: Iterable[Sent]) -> None:
        self.unread[person].difference_update(each.id for each in messages)

    def edit(self, message: Sent, text: str) -> None:
        texts = (*message.texts, message.text)
        self.messages[message.id] = replace(message, text=text, texts=texts)

    def react(self, message: Sent, reaction: tuple[str, str]) -> None:
        """Add a reaction, or remove it."""
        reactions = message.reactions ^ {reaction}
        self.messages[message.id] = replace(message, reactions=reactions)

    def delete(self, messages: Iterable[Sent]) -> None:
        for message in messages:
            del self.messages[message.id]
            self.gone.add(message.id)
            for ids in (*self.unread.values(), *self.starred.values()):
                ids.discard(message.id)

    def may_edit(self, person: str, message: Sent) -> bool:
        """Its sender may edit it, as long as they may send there."""
        if person != message.sender or not self.sees(person, message):
            return False
        return message.channel is None or self.is_open_to(person, message.channel)

    def may_delete(self, person: str, message: Sent) -> bool:
        return self.sees(person, message) and (person in self.admins or person == message.sender)

    def may_move(self, person: str, message: Sent, channel: str, topic: str) -> bool:
        if message.channel is None or not self.sees(person, message):
            return False
        if (channel, topic) == (message.channel, message.topic):
            # Leaving it where it is needs no permission.
            return True
        if not self.is_open_to(person, message.channel):
            return False
        crosses = channel != message.channel
        return not crosses or (person not in self.guests and self.is_open_to(person, channel))

    def spelled(self, channel: str, topic: str) -> str:
        """The spelling of a topic: the existing one, if it has messages."""
        there = self.in_place((channel, topic.lower()))
        return there[0].topic if there else topic

    def taken(self, person: str, message: Sent, mode: Mode, channel: str, topic: str) -> list[Sent]:
        """The messages a user moves together with one; none if nothing changes."""
        if message.place is None:
            return []
        around = self.in_place(message.place)
        taken = [
            each
            for each in around
            if self.sees(person, each)
            and (mode == "change_all" or each.id >= message.id)
            and (mode != "change_one" or each.id == message.id)
        ]
        if (channel, topic.lower()) != message.place:
            return taken
        # A change of case applies to the whole topic, or not at all.
        return taken if topic != message.topic and taken == around else []

    def spelled_after(self, taken: list[Sent], channel: str, topic: str) -> str:
        """The spelling of a topic after messages are moved there."""
        is_rename = taken[0].place == (channel, topic.lower())
        return topic if is_rename else self.spelled(channel, topic)

    def move(self, taken: list[Sent], channel: str, topic: str) -> None:
        for each in taken:
            crosses = each.channel != channel
            audience = frozenset(self.members[channel]) if crosses else each.audience
            self.messages[each.id] = replace(each, channel=channel, topic=topic, audience=audience)
            for person in self.unread:
                was_inside = person in self.members[each.channel or ""]
                if crosses and not (was_inside and person in self.members[channel]):
                    self.read(person, [each])
