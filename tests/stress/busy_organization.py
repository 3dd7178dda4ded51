"""Users who send, upload, edit, move, react and change roles all the time, and what they see."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx

from chatapi.core.roles import Role
from tests.factories import Person
from tests.support.client import encode_form
from tests.support.waiting import MAX_WAIT_SECONDS

_VOLATILE = ("queue_id", "server_timestamp", "server_generation", "last_event_id")
"""Keys of a registration that differ each time, or at each start of a server."""


@dataclass(frozen=True)
class Seen:
    """What a user sees: the state of a registration, and all messages by id."""

    last_event_id: int
    queue_id: str
    state: dict[str, Any]
    messages: dict[int, dict[str, Any]]


@dataclass
class Client:
    """A user at one server."""

    person: Person
    http: httpx.AsyncClient

    @property
    def auth(self) -> httpx.BasicAuth:
        return httpx.BasicAuth(self.person.email, self.person.api_key)

    async def call(self, method: str, path: str, **params: Any) -> dict[str, Any]:
        form = encode_form(params)
        response = await self.http.request(
            method,
            path,
            auth=self.auth,
            params=form if method == "GET" else None,
            data=None if method == "GET" else form,
        )
        answer: dict[str, Any] = response.json()
        assert answer["result"] == "success", (method, path, answer)
        return answer

    async def look(self) -> Seen:
        """Register for everything, and read all messages."""
        answer = await self.call("POST", "/register", apply_markdown=False)
        page = await self.call(
            "GET", "/messages", anchor="oldest", num_before=0, num_after=5_000, apply_markdown=False
        )
        assert page["found_newest"]
        return Seen(
            answer["last_event_id"],
            answer["queue_id"],
            {key: value for key, value in answer.items() if key not in _VOLATILE},
            {message["id"]: message for message in page["messages"]},
        )

    async def list_events(self, seen: Seen) -> list[dict[str, Any]]:
        """All events since the registration."""
        answer = await self.call(
            "GET",
            "/events",
            queue_id=seen.queue_id,
            last_event_id=seen.last_event_id,
            dont_block=True,
        )
        events: list[dict[str, Any]] = answer["events"]
        return events

    async def open(self, path: str) -> bytes:
        host = str(self.http.base_url).removesuffix("/api/v1/")
        response = await self.http.get(f"{host}{path}", auth=self.auth)
        assert response.status_code == 200, path
        return response.content


@asynccontextmanager
async def clients_of(url: str, people: Sequence[Person]) -> AsyncIterator[list[Client]]:
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", timeout=MAX_WAIT_SECONDS) as http:
        yield [Client(person, http) for person in people]


@dataclass
class Worker:
    """One of those who keep the server busy; `acknowledged` and `files` grow meanwhile."""

    client: Client
    chance: random.Random
    acknowledged: list[int] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)

    async def work(self, stop: asyncio.Event) -> None:
        for number in count():
            if stop.is_set():
                return
            await self._send(f"message {number} of {self.client.person.user_id}")
            change = self.chance.choice([self._upload, self._edit, self._move, self._react])
            await change(number)

    async def _send(self, content: str) -> None:
        topic = f"topic {self.chance.randrange(5)}"
        sent = await self.client.call(
            "POST", "/messages", type="channel", to="busy", topic=topic, content=content
        )
        self.acknowledged.append(sent["id"])

    async def _upload(self, number: int) -> None:
        content = self.chance.randbytes(2_000)
        response = await self.client.http.post(
            "/user_uploads",
            files={"file": (f"{number}.bin", content)},
            auth=self.client.auth,
        )
        url: str = response.json()["url"]
        self.files[url] = content
        await self._send(f"[file]({url})")

    async def _edit(self, number: int) -> None:
        path = f"/messages/{self.chance.choice(self.acknowledged)}"
        await self.client.call("PATCH", path, content=f"edited {number}")

    async def _move(self, number: int) -> None:
        path = f"/messages/{self.acknowledged[-1]}"
        await self.client.call(
            "PATCH", path, topic=f"moved {number % 3}", propagate_mode="change_one"
        )

    async def _react(self, _number: int) -> None:
        message = self.chance.choice(self.acknowledged)
        await self.client.call(
            "POST", "/messages/flags", messages=[message], op="add", flag="starred"
        )
        if message == self.acknowledged[-1]:
            await self.client.call("POST", f"/messages/{message}/reactions", emoji_name="tada")


async def change_roles(owner: Client, person: Person, stop: asyncio.Event) -> None:
    """Change a member's role to and fro; in the end it is another one than in the beginning."""
    for number in count():
        new = (Role.MODERATOR, Role.MEMBER)[number % 2]
        await owner.call("PATCH", f"/users/{person.user_id}", role=int(new))
        if stop.is_set() and new is not Role.MEMBER:
            return


@dataclass(frozen=True)
class Moment:
    """What a user sees of messages and roles at one number of the event log."""

    messages: dict[int, tuple[str, str, frozenset[str], int]]
    """Text, topic, flags and number of reactions, by id."""
    roles: dict[int, int]

    @classmethod
    def of(cls, seen: Seen) -> "Moment":
        return cls(
            {
                message_id: (
                    message["content"],
                    message["subject"],
                    frozenset(message["flags"]),
                    len(message["reactions"]),
                )
                for message_id, message in seen.messages.items()
            },
            {user["user_id"]: user["role"] for user in seen.state["realm_users"]},
        )

    def after(self, events: Sequence[dict[str, Any]]) -> "Moment":
        """Apply events, as a client does."""
        messages, roles = dict(self.messages), dict(self.roles)
        for event in events:
            _apply(event, messages, roles)
        return Moment(messages, roles)


def _apply(
    event: dict[str, Any],
    messages: dict[int, tuple[str, str, frozenset[str], int]],
    roles: dict[int, int],
) -> None:
    match event["type"], event.get("op"):
        case "message", _:
            new = event["message"]
            messages[new["id"]] = (new["content"], new["subject"], frozenset(event["flags"]), 0)
        case "update_message", _:
            for message_id in event["message_ids"]:
                text, topic, flags, reactions = messages[message_id]
                if message_id == event["message_id"]:
                    text = event.get("content", text)
                messages[message_id] = (text, event.get("subject", topic), flags, reactions)
        case "update_message_flags", "add":
            for message_id in event["messages"]:
                text, topic, flags, reactions = messages[message_id]
                messages[message_id] = (text, topic, flags | {event["flag"]}, reactions)
        case "reaction", "add":
            text, topic, flags, reactions = messages[event["message_id"]]
            messages[event["message_id"]] = (text, topic, flags, reactions + 1)
        case "realm_user", "update" if "role" in event["person"]:
            roles[event["person"]["user_id"]] = event["person"]["role"]
