"""Senders and listeners, as clients are, on a server that keeps being killed."""

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from tests.stress.connection import Connection
from tests.stress.queue_reader import QueueReader

HANG_UP = 1 / 20
HANG_UP_WITHIN_SECONDS = 0.03
GIVE_UP = 1 / 20


@dataclass(frozen=True)
class Room:
    """A topic of a channel or a direct conversation, and the recipients of its messages."""

    address: Mapping[str, object]
    people: frozenset[int]


@dataclass
class Message:
    """A message that a sender tried to send, and its outcome."""

    room: Room
    content: str
    local_id: str
    begun_at: float
    id: int | None = None
    acknowledged_at: float | None = None


@dataclass
class Sender:
    """Sends one message after the other, each until it is acknowledged or, rarely, given up."""

    connection: Connection
    rooms: Sequence[Room]
    chance: random.Random
    queue_id: str | None
    """Of the client that sends; without one, messages are named by an Idempotency-Key."""
    messages: list[Message] = field(default_factory=list)
    lost_answers: int = 0

    @property
    def acknowledged(self) -> list[Message]:
        return [message for message in self.messages if message.id is not None]

    async def work(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            message = self._next_message()
            self.messages.append(message)
            await self._send(message)

    def _next_message(self) -> Message:
        number = len(self.messages) + 1
        return Message(
            room=self.chance.choice(self.rooms),
            content=f"Message {number} of person {self.connection.person.user_id}",
            local_id=f"{number}.01",
            begun_at=time.monotonic(),
        )

    async def _send(self, message: Message) -> None:
        while message.id is None:
            response = await self._try_to_send(message)
            if response is None:
                self.lost_answers += 1
                if self.chance.random() < GIVE_UP:
                    return
            else:
                assert response["result"] == "success", response
                message.id = response["id"]
                message.acknowledged_at = time.monotonic()

    async def _try_to_send(self, message: Message) -> dict[str, Any] | None:
        is_impatient = self.chance.random() < HANG_UP
        patience = self.chance.uniform(0, HANG_UP_WITHIN_SECONDS) if is_impatient else None
        try:
            async with asyncio.timeout(patience):
                return await self._post(message)
        except TimeoutError:
            return None

    async def _post(self, message: Message) -> dict[str, Any] | None:
        params = {**message.room.address, "content": message.content}
        headers: dict[str, str] = {}
        if self.queue_id is None:
            headers["Idempotency-Key"] = message.local_id
        else:
            params |= {"queue_id": self.queue_id, "local_id": message.local_id}
        return await self.connection.call_with_headers(headers, "POST", "/messages", **params)


@dataclass
class Listener(QueueReader):
    """Receives messages from one registration on."""

    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def heard(self) -> list[tuple[int, str]]:
        return [(event["message"]["id"], event["message"]["content"]) for event in self.events]

    async def register(self) -> None:
        state = await self.connection.insist(
            "POST", "/register", event_types=["message"], apply_markdown=False
        )
        self.start(state)

    async def work(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            await self.read_some()

    async def read_history(self) -> list[tuple[int, str]]:
        """All messages sent to the user, from GET /messages."""
        shown: list[tuple[int, str]] = []
        page: dict[str, Any] = {"found_newest": False}
        while not page["found_newest"]:
            page = await self.connection.insist(
                "GET",
                "/messages",
                anchor=str(shown[-1][0]) if shown else "oldest",
                include_anchor=not shown,
                num_before=0,
                num_after=1000,
                apply_markdown=False,
            )
            assert page["result"] == "success", page
            shown += [(message["id"], message["content"]) for message in page["messages"]]
        return shown

    @override
    def see(self, event: dict[str, Any]) -> None:
        assert event["type"] == "message", event
        self.events.append(event)
