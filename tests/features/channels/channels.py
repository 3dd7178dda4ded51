"""Channels for tests, read and changed through the API."""

from collections.abc import Iterable
from typing import Any

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.listening import Listener
from tests.support.responses import ApiResponse, assert_success

SUBSCRIPTIONS = "/users/me/subscriptions"
KNOWS_ARCHIVED = {"archived_channels": True}


def unnamed(people: Iterable[Person] = (), groups: Iterable[int] = ()) -> dict[str, list[int]]:
    """A group setting given as a list of users and groups, not as one named group."""
    members = sorted(int(person.user_id) for person in people)
    return {"direct_members": members, "direct_subgroups": sorted(groups)}


async def subscribe(
    client: ApiClient, person: Person, *names: str, **params: object
) -> ApiResponse:
    wanted = [{"name": name} for name in names]
    return await client.post(SUBSCRIPTIONS, person, subscriptions=wanted, **params)


async def unsubscribe(
    client: ApiClient, person: Person, *names: str, **params: object
) -> ApiResponse:
    return await client.delete(SUBSCRIPTIONS, person, subscriptions=list(names), **params)


async def channel_of(client: ApiClient, person: Person, channel: ChannelRecord) -> dict[str, Any]:
    """One channel as GET /streams/{stream_id} shows it."""
    shown: dict[str, Any] = assert_success(await client.get(f"/streams/{channel.id}", person))
    return dict(shown["stream"])


async def names_seen_by(client: ApiClient, person: Person, **params: object) -> set[str]:
    """The names of the channels that GET /streams returns."""
    response = assert_success(await client.get("/streams", person, **params))
    return {stream["name"] for stream in response["streams"]}


async def members_of(client: ApiClient, person: Person, channel: ChannelRecord) -> list[int]:
    response = assert_success(await client.get(f"/streams/{channel.id}/members", person))
    members: list[int] = response["subscribers"]
    return members


async def told(listener: Listener, *types: str) -> list[dict[str, Any]]:
    """The new events of some types, without their ids."""
    wanted = types or ("stream", "subscription", "default_streams")
    events = [event for event in await listener.new_events() if event["type"] in wanted]
    for event in events:
        del event["id"]
    return events


def kinds(events: Iterable[dict[str, Any]]) -> list[str]:
    """The type and op of each event, such as `subscription/add`."""
    return [
        f"{event['type']}/{event['op']}" if "op" in event else event["type"] for event in events
    ]
