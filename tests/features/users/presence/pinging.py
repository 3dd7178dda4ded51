"""Presence requests as clients send them, and the presence of others in the responses."""

from typing import Any

from chatapi.core.clock import unix_seconds
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_success

PRESENCE = "/users/me/presence"


async def try_ping(client: ApiClient, person: Person | None, **params: object) -> ApiResponse:
    return await client.post(PRESENCE, person, **{"status": "active", **params})


async def ping(client: ApiClient, person: Person, **params: object) -> dict[str, Any]:
    return assert_success(await try_ping(client, person, **params))


async def ping_slim(client: ApiClient, person: Person, **params: object) -> dict[str, Any]:
    """The presences in the slim (newer) form."""
    response = await ping(client, person, slim_presence=True, **params)
    presences: dict[str, Any] = response["presences"]
    return presences


async def listen_to_presence(client: ApiClient, person: Person, **params: object) -> Listener:
    return await listen(client, person, event_types=["presence"], **params)


async def told(listener: Listener) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in event.items() if key != "id"}
        for event in await listener.new_events()
    ]


def moments(active: int, idle: int) -> dict[str, int]:
    return {"active_timestamp": active, "idle_timestamp": idle}


def here(clock: MovableClock) -> dict[str, int]:
    """The presence of a user who is active now."""
    now = unix_seconds(clock.now())
    return moments(now, now)


def old_form(status: str, timestamp: int) -> dict[str, Any]:
    """The legacy form of a user's presence."""
    shown = {"client": "website", "status": status, "timestamp": timestamp}
    return {"aggregated": shown, "website": {**shown, "pushable": False}}
