"""Random requests of one reader: every operator and anchor, and all other ways to read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.security.differential.organization import CHANNEL_KINDS, TOPICS, WORDS, Organization

_IS = ("dm", "starred", "unread", "mentioned", "alerted", "resolved", "followed", "muted")
_HAS = ("link", "image", "attachment", "reaction")
_UNUSED_ID = 900_000
_NARROWS = 4
_OTHERS = 4
"""Requests about other things than narrows, out of nineteen."""


@dataclass(frozen=True)
class Request:
    """One request, without its sender."""

    method: str
    path: str
    params: Mapping[str, object] = field(default_factory=dict)


class RequestMaker:
    """Makes requests about an organization; many name what the reader may not see."""

    def __init__(self, organization: Organization, random: Random) -> None:
        self._organization = organization
        self._random = random

    def requests(self) -> Iterator[Request]:
        """The last one changes something of the reader's own."""
        for _ in range(_NARROWS):
            yield Request("GET", "/messages", {"narrow": self.narrow(), **self._window()})
        yield self._random.choice([self._by_ids, self._matches])()
        others = [*self._about_messages(), *self._about_channels(), *self._about_people()]
        yield from self._random.sample(others, _OTHERS)
        if self._random.random() < 0.2:
            yield Request("POST", "/register", {"narrow": self._simple_narrow()})
        if self._random.random() < 0.5:
            yield self._change_flags()

    def _by_ids(self) -> Request:
        asked = {"message_ids": self._message_ids(), "narrow": self.narrow()}
        return Request("GET", "/messages", asked)

    def _matches(self) -> Request:
        asked = {"msg_ids": self._message_ids(), "narrow": self.narrow()}
        return Request("GET", "/messages/matches_narrow", asked)

    def _change_flags(self) -> Request:
        flag, op = self._random.choice(["read", "starred"]), self._random.choice(["add", "remove"])
        change = {"narrow": self.narrow(), "flag": flag, "op": op, **self._window()}
        return Request("POST", "/messages/flags/narrow", change)

    def narrow(self) -> list[Any]:
        makers = [
            *(self._by_id for _ in range(3)),
            *(self._by_search for _ in range(2)),
            self._by_channel,
            self._by_channels,
            self._by_topic,
            self._by_person,
            self._by_people,
            self._by_state,
            self._by_thread,
        ]
        count = self._random.randint(1, 3)
        return [self._negate(self._random.choice(makers)()) for _ in range(count)]

    def _negate(self, term: list[object]) -> dict[str, object]:
        negated = self._random.random() < 0.35
        return {"operator": term[0], "operand": term[1], "negated": negated}

    def _simple_narrow(self) -> list[list[object]]:
        """As event queues have it: pairs of strings."""
        makers = [self._by_channel, self._by_topic, self._by_person, self._by_state]
        return [[str(each) for each in self._random.choice(makers)()]]

    def _by_id(self) -> list[object]:
        return ["id", self._message_id()]

    def _by_thread(self) -> list[object]:
        return [self._random.choice(["with", "near"]), self._message_id()]

    def _by_search(self) -> list[object]:
        return ["search", self._random.choice([*WORDS, "://", "plans", "river cruise"])]

    def _by_channel(self) -> list[object]:
        ids = [*self._organization.channel_ids.values(), _UNUSED_ID]
        return ["channel", self._random.choice([*ids, *CHANNEL_KINDS, "no such channel"])]

    def _by_channels(self) -> list[object]:
        return ["channels", self._random.choice(["public", "web-public"])]

    def _by_topic(self) -> list[object]:
        return ["topic", self._random.choice([*TOPICS, "no such topic"])]

    def _by_person(self) -> list[object]:
        return ["sender", self._person()]

    def _by_people(self) -> list[object]:
        operator = self._random.choice(["dm", "dm-including", "group-pm-with"])
        user_ids = self._random.sample([*self._organization.user_ids, _UNUSED_ID], 1)
        return [operator, self._random.choice([user_ids, str(self._person())])]

    def _by_state(self) -> list[object]:
        states = [("is", each) for each in _IS] + [("has", each) for each in _HAS]
        return list(self._random.choice(states))

    def _person(self) -> object:
        person = self._random.choice(list(self._organization.persons.values()))
        made_up = f"user{person.user_id}@{self._organization.host}"
        return self._random.choice([person.user_id, person.email, made_up, _UNUSED_ID])

    def _window(self) -> dict[str, object]:
        anchor = self._random.choice(["newest", "oldest", "first_unread", "date", "id", "id"])
        window: dict[str, object] = {
            "anchor": str(self._message_id()) if anchor == "id" else anchor,
            "num_before": self._random.choice([0, 1, 3, 20]),
            "num_after": self._random.choice([0, 1, 3, 20]),
            "include_anchor": self._random.random() < 0.7,
        }
        if anchor == "date":
            window["anchor_date"] = self._random.choice(["2000-01-01T00:00Z", "2100-01-01T00:00Z"])
        return window

    def _message_id(self) -> int:
        return self._random.choice([*self._organization.message_ids, _UNUSED_ID])

    def _message_ids(self) -> list[int]:
        sent = self._organization.message_ids
        return [*self._random.sample(sent, min(len(sent), 6)), _UNUSED_ID]

    def _about_messages(self) -> Iterator[Request]:
        markdown = {"apply_markdown": self._random.random() < 0.5}
        yield Request("GET", f"/messages/{self._message_id()}", markdown)
        yield Request("GET", f"/messages/{self._message_id()}/read_receipts")
        yield Request("GET", f"/messages/{self._message_id()}/history")
        name = self._random.choice(list(self._organization.persons.values())).full_name
        text = f"#**{self._random.choice(list(CHANNEL_KINDS))}>plans** @**{name}** @*choir*"
        yield Request("POST", "/messages/render", {"content": text})

    def _about_channels(self) -> Iterator[Request]:
        channel_id = self._random.choice([*self._organization.channel_ids.values(), _UNUSED_ID])
        yield Request("GET", f"/users/me/{channel_id}/topics")
        yield Request("GET", f"/streams/{channel_id}/members")
        yield Request("GET", f"/streams/{channel_id}")
        yield Request("GET", "/streams", {"include_all": True})
        yield Request("GET", "/users/me/subscriptions", {"include_subscribers": True})
        user_id = self._random.choice([*self._organization.user_ids, _UNUSED_ID])
        yield Request("GET", f"/users/{user_id}/subscriptions/{channel_id}")
        yield Request("GET", f"/users/{user_id}/channels")

    def _about_people(self) -> Iterator[Request]:
        user_id = self._random.choice([*self._organization.user_ids, _UNUSED_ID])
        group_id = self._random.choice([*self._organization.group_ids, _UNUSED_ID])
        yield Request("GET", "/users")
        yield Request("GET", f"/users/{self._person()}")
        yield Request("GET", "/user_groups")
        yield Request("GET", f"/user_groups/{group_id}/members")
        yield Request("GET", f"/user_groups/{group_id}/members/{user_id}")
        yield Request("GET", f"/users/{user_id}/status")
        yield Request("GET", f"/users/{user_id}/presence")
        yield Request("GET", "/realm/presence")
