"""Scheduled messages for tests, made and read the way clients do it."""

from typing import Any

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.clock import unix_seconds
from chatapi.db.session import DatabaseSession
from chatapi.features.messages.deliveries.service import deliver_some
from chatapi.features.messages.repository import DueRepository
from tests.factories import Person
from tests.features.messages.fetch.conversations import read
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import ApiResponse, assert_success
from tests.support.waiting import until_true

SCHEDULED = "/scheduled_messages"


def seconds_from_now(clock: MovableClock, seconds: int) -> int:
    return unix_seconds(clock.now()) + seconds


def to_channel(channel: ChannelRecord, topic: str = "greetings") -> dict[str, object]:
    return {"type": "channel", "to": channel.id, "topic": topic}


def to_people(*people: Person) -> dict[str, object]:
    return {"type": "direct", "to": [person.user_id for person in people]}


async def try_to_schedule(
    client: ApiClient, sender: Person, place: dict[str, object], at: int, /, **params: object
) -> ApiResponse:
    message = {"content": "Good morning", "scheduled_delivery_timestamp": at, **place, **params}
    return await client.post(SCHEDULED, sender, **message)


async def schedule(
    client: ApiClient, sender: Person, place: dict[str, object], at: int, /, **params: object
) -> int:
    response = await try_to_schedule(client, sender, place, at, **params)
    scheduled_id: int = assert_success(response)["scheduled_message_id"]
    return scheduled_id


async def edit(
    client: ApiClient, sender: Person, scheduled_id: int, **changes: object
) -> ApiResponse:
    return await client.patch(f"{SCHEDULED}/{scheduled_id}", sender, **changes)


async def scheduled_of(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    response = assert_success(await client.get(SCHEDULED, person))
    scheduled: list[dict[str, Any]] = response["scheduled_messages"]
    return scheduled


async def deliver_due(runtime: Runtime) -> None:
    """Deliver all that is due by now, as the service does step by step."""
    while await deliver_some(runtime):
        pass


async def pass_an_hour(runtime: Runtime, clock: MovableClock) -> None:
    """Until everything that is due by then is delivered, by this process or by others."""
    clock.advance(hours=1)

    async def nothing_is_due() -> bool:
        await deliver_due(runtime)
        async with DatabaseSession(runtime.database) as db:
            due_at = await DueRepository(db).find_next_due()
        return due_at is None or due_at > clock.now()

    await until_true(nothing_is_due)


async def contents_read(client: ApiClient, reader: Person) -> list[str]:
    found = await read(client, reader, apply_markdown=False)
    return [message["content"] for message in found["messages"]]


async def notices_of(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    found = await read(client, person, ["is", "dm"], apply_markdown=False)
    return [
        message
        for message in found["messages"]
        if message["sender_full_name"] == "Notification Bot"
    ]
