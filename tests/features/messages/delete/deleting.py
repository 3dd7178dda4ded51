"""Deleting messages and reading the events, the way clients do it."""

from typing import Any

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_success

BULK = {"bulk_message_deletion": True}


async def delete(client: ApiClient, person: Person | None, message_id: object) -> ApiResponse:
    return await client.delete(f"/messages/{message_id}", person)


async def delete_topic(
    client: ApiClient, person: Person | None, channel: ChannelRecord, topic: str = "greetings"
) -> ApiResponse:
    return await client.post(f"/streams/{channel.id}/delete_topic", person, topic_name=topic)


async def listen_to_deletions(
    client: ApiClient, person: Person, *, is_bulk: bool = True, **capabilities: bool
) -> Listener:
    known = {**(BULK if is_bulk else {}), **capabilities}
    return await listen(
        client,
        person,
        event_types=["delete_message"],
        fetch_event_types=[],
        client_capabilities=known,
    )


async def told(listener: Listener) -> list[dict[str, Any]]:
    """The new events, without their ids."""
    events = await listener.new_events()
    return [{key: event[key] for key in event if key != "id"} for event in events]


async def topics_of(client: ApiClient, person: Person, channel: ChannelRecord) -> list[str]:
    """The names of the topics of a channel, the newest first."""
    response = await client.get(
        f"/users/me/{channel.id}/topics", person, allow_empty_topic_name=True
    )
    return [topic["name"] for topic in assert_success(response)["topics"]]
