"""A reader of one event queue that disconnects, polls twice, and misses no event."""

import asyncio
import random
from dataclasses import dataclass
from typing import Any

from tests.stress.connection import Connection

PATIENCE_SECONDS = 0.2


@dataclass
class QueueReader:
    """Polls for events since the last one it saw, whatever happens to the server."""

    connection: Connection
    chance: random.Random
    queue_id: str = ""
    last_event_id: int = -1

    def see(self, event: dict[str, Any]) -> None:
        """Handle an event; each is delivered once."""
        raise NotImplementedError

    def start(self, registered: dict[str, Any]) -> None:
        """Read the queue of a POST /register response, from its beginning."""
        assert registered["result"] == "success", registered
        self.queue_id = registered["queue_id"]
        self.last_event_id = registered["last_event_id"]

    async def read_some(self) -> None:
        """Poll for events, in one of the ways clients do."""
        ways = (self._wait_for_events, self._wait_impatiently, self._ask_twice)
        await self.chance.choices(ways, weights=(8, 1, 1))[0]()

    async def catch_up(self) -> None:
        """Read all events so far."""
        while True:
            response = await self.connection.insist(
                "GET", "/events", **self._position(dont_block=True)
            )
            self._take(response)
            if not response["events"]:
                return

    async def _wait_for_events(self) -> None:
        self._take(await self._poll(dont_block=False))

    async def _wait_impatiently(self) -> None:
        """Disconnect during a poll; events in transit are delivered again."""
        try:
            async with asyncio.timeout(self.chance.uniform(0, PATIENCE_SECONDS)):
                await self._poll(dont_block=False)
        except TimeoutError:
            return

    async def _ask_twice(self) -> None:
        first, second = await self._poll(dont_block=True), await self._poll(dont_block=True)
        if first is not None and second is not None:
            events, again = first["events"], second["events"]
            # A server that has just started reads the log, in pages that may be shorter.
            common = min(len(events), len(again))
            assert again[:common] == events[:common], (self.last_event_id, events, again)
            assert again or not events
            self._take(second)

    async def _poll(self, *, dont_block: bool) -> dict[str, Any] | None:
        return await self.connection.call("GET", "/events", **self._position(dont_block=dont_block))

    def _position(self, *, dont_block: bool) -> dict[str, object]:
        return {
            "queue_id": self.queue_id,
            "last_event_id": self.last_event_id,
            "dont_block": dont_block,
        }

    def _take(self, response: dict[str, Any] | None) -> None:
        if response is None:
            return
        assert response["result"] == "success", response
        for event in response["events"]:
            if event["type"] == "heartbeat":
                assert event["id"] >= self.last_event_id
            else:
                assert event["id"] > self.last_event_id, "an event came twice"
                self.see(event)
            self.last_event_id = event["id"]
