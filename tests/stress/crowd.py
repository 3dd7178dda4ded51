"""Writers that never stop and followers that never lose track, on a server that keeps dying."""

import asyncio
import random
from dataclasses import dataclass, field
from typing import Any

import httpx
from typing_extensions import override

from chatapi.http.route import API_PREFIX
from tests.factories import Person
from tests.support.client import basic_auth, encode_form

TRY_AGAIN_SECONDS = 0.05
PATIENCE_SECONDS = 0.2


class Connection:
    """Requests of one person to servers each of which may be away at any moment."""

    def __init__(self, servers: list[httpx.AsyncClient], person: Person) -> None:
        self._servers = servers
        self._chance = random.Random(person.user_id)
        self.person = person

    async def call(self, method: str, path: str, **params: object) -> dict[str, Any] | None:
        """The answer, or None when it was lost on the way and nobody knows what happened."""
        form = encode_form(params)
        is_read = method == "GET"
        try:
            response = await self._chance.choice(self._servers).request(
                method,
                API_PREFIX + path,
                auth=basic_auth(self.person),
                params=form if is_read else None,
                data=None if is_read else form,
            )
        except httpx.TransportError:
            await asyncio.sleep(TRY_AGAIN_SECONDS)
            return None
        answer: dict[str, Any] = response.json()
        assert response.status_code in {200, 400}, answer
        return answer

    async def insist(self, method: str, path: str, **params: object) -> dict[str, Any]:
        """The same call again and again until an answer comes back."""
        while (answer := await self.call(method, path, **params)) is None:
            pass
        return answer


@dataclass
class Writer:
    """Changes something about itself, one numbered step after the other."""

    connection: Connection
    acknowledged: int = 0
    attempted: int = 0

    async def work(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            self.attempted += 1
            await self._write(self.attempted)
            self.acknowledged = self.attempted

    async def _write(self, number: int) -> None:
        answer = await self.connection.insist(
            "PATCH",
            "/settings",
            full_name=step_name(self.connection.person, number),
            email_notifications_batching_period_seconds=number,
        )
        assert answer["result"] == "success", answer


@dataclass
class Recruiter(Writer):
    """An administrator who creates users."""

    @override
    async def _write(self, number: int) -> None:
        answer = await self.connection.insist("POST", "/users", **self._recruit(number))
        # An answer that was lost leaves a user whom the second attempt finds.
        assert answer["result"] == "success" or "already in use" in answer["msg"], answer

    def _recruit(self, number: int) -> dict[str, object]:
        return {
            "email": recruit_email(self.connection.person, number),
            "full_name": f"Recruit {number}",
            "password": "correct horse",
        }


@dataclass
class Follower:
    """Knows the organization from one registration and the events since."""

    connection: Connection
    chance: random.Random
    queue_id: str = ""
    last_event_id: int = -1
    people: dict[int, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    seen: int = 0

    async def work(self, stop: asyncio.Event) -> None:
        await self.register()
        often = [self.wait_for_events, self.wait_impatiently, self.ask_twice]
        while not stop.is_set():
            await self.chance.choice([*often * 5, self.register])()

    async def register(self) -> None:
        types = ["realm_user", "user_settings"]
        state = await self.connection.insist("POST", "/register", event_types=types)
        assert state["result"] == "success", state
        self.queue_id = state["queue_id"]
        self.last_event_id = state["last_event_id"]
        self.people = {person["user_id"]: person for person in state["realm_users"]}
        self.settings = state["user_settings"]

    async def wait_for_events(self) -> None:
        answer = await self._poll(dont_block=False)
        self._take(answer)

    async def wait_impatiently(self) -> None:
        """Hang up in the middle; whatever was on its way comes again."""
        try:
            async with asyncio.timeout(self.chance.uniform(0, PATIENCE_SECONDS)):
                await self._poll(dont_block=False)
        except TimeoutError:
            return

    async def ask_twice(self) -> None:
        first, second = await self._poll(dont_block=True), await self._poll(dont_block=True)
        if first is not None and second is not None:
            events = first["events"]
            assert second["events"][: len(events)] == events
            self._take(second)

    async def catch_up(self) -> None:
        while True:
            answer = await self.connection.insist("GET", "/events", **self._position(True))
            self._take(answer)
            if not answer["events"]:
                return

    async def _poll(self, *, dont_block: bool) -> dict[str, Any] | None:
        return await self.connection.call("GET", "/events", **self._position(dont_block))

    def _position(self, dont_block: bool) -> dict[str, object]:
        return {
            "queue_id": self.queue_id,
            "last_event_id": self.last_event_id,
            "dont_block": dont_block,
        }

    def _take(self, answer: dict[str, Any] | None) -> None:
        if answer is None:
            return
        assert answer["result"] == "success", answer
        for event in answer["events"]:
            if event["type"] == "heartbeat":
                assert event["id"] >= self.last_event_id
            else:
                assert event["id"] > self.last_event_id, "an event came twice"
                self._apply(event)
                self.seen += 1
            self.last_event_id = event["id"]

    def _apply(self, event: dict[str, Any]) -> None:
        match event["type"], event["op"]:
            case "realm_user", "add":
                person = event["person"]
                assert person["user_id"] not in self.people, "somebody was added twice"
                self.people[person["user_id"]] = person
            case "realm_user", "update":
                self.people[event["person"]["user_id"]] |= event["person"]
            case "user_settings", "update":
                self.settings[event["property"]] = event["value"]
            case other:
                raise AssertionError(f"an event nobody asked for: {other}")


def step_name(person: Person, number: int) -> str:
    return f"Person {person.user_id} at step {number}"


def recruit_email(person: Person, number: int) -> str:
    return f"recruit{number}.of{person.user_id}@example.com"
