"""Writers that never stop and followers that miss no event, on a server that keeps being killed."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from tests.factories import Person
from tests.stress.connection import Connection
from tests.stress.queue_reader import QueueReader

REGISTER_ANEW = 1 / 16


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
        response = await self.connection.insist(
            "PATCH",
            "/settings",
            full_name=step_name(self.connection.person, number),
            email_notifications_batching_period_seconds=number,
        )
        assert response["result"] == "success", response


@dataclass
class Recruiter(Writer):
    """An administrator who creates users."""

    @override
    async def _write(self, number: int) -> None:
        response = await self.connection.insist("POST", "/users", **self._recruit(number))
        # A lost response leaves a user that the second attempt finds.
        assert response["result"] == "success" or "already in use" in response["msg"], response

    def _recruit(self, number: int) -> dict[str, object]:
        return {
            "email": recruit_email(self.connection.person, number),
            "full_name": f"Recruit {number}",
            "password": "correct horse",
        }


@dataclass
class Follower(QueueReader):
    """Keeps the state of the realm from one registration and the events since."""

    people: dict[int, dict[str, Any]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    seen: int = 0

    async def work(self, stop: asyncio.Event) -> None:
        await self.register()
        while not stop.is_set():
            if self.chance.random() < REGISTER_ANEW:
                await self.register()
            else:
                await self.read_some()

    async def register(self) -> None:
        types = ["realm_user", "user_settings"]
        state = await self.connection.insist("POST", "/register", event_types=types)
        self.start(state)
        self.people = {person["user_id"]: person for person in state["realm_users"]}
        self.settings = state["user_settings"]

    @override
    def see(self, event: dict[str, Any]) -> None:
        self.seen += 1
        match event["type"], event["op"]:
            case "realm_user", "add":
                person = event["person"]
                assert person["user_id"] not in self.people, "a user was added twice"
                self.people[person["user_id"]] = person
            case "realm_user", "update":
                self.people[event["person"]["user_id"]] |= event["person"]
            case "user_settings", "update":
                self.settings[event["property"]] = event["value"]
            case other:
                raise AssertionError(f"an event that was not requested: {other}")


def step_name(person: Person, number: int) -> str:
    return f"Person {person.user_id} at step {number}"


def recruit_email(person: Person, number: int) -> str:
    return f"recruit{number}.of{person.user_id}@example.com"
