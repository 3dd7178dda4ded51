"""Messages marked as read or renamed before a move: late polls get the same events."""

from typing import Any

import pytest

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import send, unread_ids
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success


@pytest.fixture
async def general(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel("general", subscribers=[owner, member])


@pytest.fixture
async def other(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel("other", subscribers=[owner, member])


async def move(client: ApiClient, person: Person, message_id: int, **changes: object) -> None:
    response = await client.patch(
        f"/messages/{message_id}",
        person,
        send_notification_to_old_thread=False,
        send_notification_to_new_thread=False,
        **changes,
    )
    assert_success(response)


async def flag_events(listener: Listener) -> list[dict[str, Any]]:
    return [each for each in await listener.new_events() if each["type"] == "update_message_flags"]


async def read_by_events(listener: Listener) -> set[int]:
    return {number for event in await flag_events(listener) for number in event["messages"]}


class TestMarkedAsRead:
    async def test_messages_moved_out_of_the_topic_later_are_included(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        general: ChannelRecord,
        other: ChannelRecord,
    ) -> None:
        ids = [await send(client, owner, general, "one") for _ in range(4)]
        listener = await listen(client, member)
        await client.post("/mark_topic_as_read", member, stream_id=general.id, topic_name="one")
        await move(client, owner, ids[1], topic="two", propagate_mode="change_one")
        await move(
            client, owner, ids[2], stream_id=other.id, topic="x", propagate_mode="change_later"
        )
        await move(client, owner, ids[1], stream_id=other.id, propagate_mode="change_one")
        assert await unread_ids(client, member) == set()
        assert await read_by_events(listener) == set(ids)

    async def test_messages_moved_into_the_topic_later_are_not_included(
        self, client: ApiClient, owner: Person, member: Person, general: ChannelRecord
    ) -> None:
        unread = await send(client, owner, general, "two")
        await send(client, owner, general, "one")
        await client.post("/mark_stream_as_read", owner, stream_id=general.id)
        listener = await listen(client, member)
        read = await send(client, owner, general, "one")
        await client.post("/mark_topic_as_read", member, stream_id=general.id, topic_name="one")
        await move(client, owner, unread, topic="one", propagate_mode="change_one")
        told = await read_by_events(listener)
        assert read in told
        assert unread not in told
        assert await unread_ids(client, member) == {unread}

    async def test_messages_moved_out_of_the_channel_later_are_included(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        general: ChannelRecord,
        other: ChannelRecord,
    ) -> None:
        ids = [await send(client, owner, general, topic) for topic in ("one", "one", "two")]
        there = await send(client, owner, other, "one")
        listener = await listen(client, member)
        await client.post("/mark_stream_as_read", member, stream_id=general.id)
        await move(client, owner, ids[0], topic="three", propagate_mode="change_one")
        await move(client, owner, ids[0], stream_id=other.id, propagate_mode="change_one")
        await move(client, owner, ids[2], stream_id=other.id, propagate_mode="change_all")
        await move(client, owner, there, stream_id=general.id, propagate_mode="change_one")
        assert await read_by_events(listener) == set(ids)
        assert await unread_ids(client, member) == {there}

    async def test_all_messages_of_a_topic_moved_away_later_are_included(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        general: ChannelRecord,
        other: ChannelRecord,
    ) -> None:
        ids = [await send(client, owner, general, "one") for _ in range(3)]
        listener = await listen(client, member)
        await client.post("/mark_topic_as_read", member, stream_id=general.id, topic_name="one")
        await move(client, owner, ids[0], topic="renamed", propagate_mode="change_all")
        await move(client, owner, ids[0], stream_id=other.id, propagate_mode="change_all")
        assert await read_by_events(listener) == set(ids)
        assert await unread_ids(client, member) == set()


async def test_rename_includes_messages_moved_out_later(
    client: ApiClient, owner: Person, member: Person, general: ChannelRecord
) -> None:
    ids = [await send(client, owner, general, "one") for _ in range(3)]
    later = await send(client, owner, general, "two")
    listener = await listen(client, member, event_types=["update_message"])
    await move(client, owner, ids[0], topic="renamed", propagate_mode="change_all")
    await move(client, owner, ids[1], topic="two", propagate_mode="change_one")
    await move(client, owner, later, topic="renamed", propagate_mode="change_one")
    told = [event["message_ids"] for event in await listener.new_events()]
    assert told == [ids, [ids[1]], [later]]


async def test_message_moved_into_a_topic_gets_its_spelling(
    client: ApiClient, owner: Person, member: Person, general: ChannelRecord, other: ChannelRecord
) -> None:
    await send(client, owner, other, "lunch")
    message = await send(client, owner, general, "one")
    listener = await listen(client, member, event_types=["update_message"])
    values = {"stream_id": other.id, "topic": "LUNCH", "propagate_mode": "change_all"}
    await move(client, owner, message, **values)
    [event] = await listener.new_events()
    assert event["subject"] == "lunch"
