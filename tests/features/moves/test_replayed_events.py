"""What was marked as read, or renamed, before it was moved: told alike however late one reads."""

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
    async def test_messages_of_a_topic_that_were_moved_since_are_told(
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

    async def test_messages_that_came_into_the_topic_since_are_not(
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

    async def test_messages_of_a_channel_that_left_it_since_are_told(
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

    async def test_a_topic_that_is_gone_by_then_is_told_in_full(
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


async def test_a_renamed_topic_is_told_with_what_has_left_it_since(
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


async def test_a_topic_keeps_its_spelling_for_those_who_come_into_it(
    client: ApiClient, owner: Person, member: Person, general: ChannelRecord, other: ChannelRecord
) -> None:
    await send(client, owner, other, "lunch")
    message = await send(client, owner, general, "one")
    listener = await listen(client, member, event_types=["update_message"])
    values = {"stream_id": other.id, "topic": "LUNCH", "propagate_mode": "change_all"}
    await move(client, owner, message, **values)
    [event] = await listener.new_events()
    assert event["subject"] == "lunch"
