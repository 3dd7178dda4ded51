"""A client that registers a queue and polls it, keeping its last event id."""

from typing import Any

from chatapi.core.ids import EventId, EventNumber
from chatapi.events.event_ids import id_of, newest_completed
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_success


class Listener:
    """One queue of one user."""

    def __init__(self, client: ApiClient, person: Person, registered: dict[str, Any]) -> None:
        self.client = client
        self.person = person
        self.state = registered
        self.queue_id: str = registered["queue_id"]
        self.last_event_id: int = registered["last_event_id"]

    async def poll(self, **params: object) -> ApiResponse:
        """The response of one GET /events, from the listener's position."""
        return await self.client.get(
            "/events",
            self.person,
            **{"queue_id": self.queue_id, "last_event_id": self.last_event_id, **params},
        )

    def id_after(self, count: int) -> int:
        """The id of the logged event that comes so many events after the last one seen."""
        seen = newest_completed(EventId(self.last_event_id))
        return id_of(EventNumber(seen + count))

    async def next_events(self) -> list[dict[str, Any]]:
        """Wait for the next events; they count as seen afterwards."""
        return self._see(await self.poll())

    async def new_events(self) -> list[dict[str, Any]]:
        """All events so far, without waiting; they count as seen afterwards."""
        seen: list[dict[str, Any]] = []
        while page := self._see(await self.poll(dont_block=True)):
            seen += page
        return seen

    def _see(self, response: ApiResponse) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = assert_success(response)["events"]
        for event in events:
            assert event["id"] > self.last_event_id
            self.last_event_id = event["id"]
        return events


async def listen(client: ApiClient, person: Person, **params: object) -> Listener:
    """Register a queue; from here on the listener misses nothing."""
    registered = await client.post("/register", person, **params)
    return Listener(client, person, assert_success(registered))
