"""Messages that become read when their reader loses the channel: clients get events."""

from typing import Any

import pytest

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import subscribe, unsubscribe
from tests.features.messages.fetch.conversations import mark, send, unread_ids
from tests.features.messages.move.test_replayed_events import move
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_success


async def unread_by_events(listener: Listener) -> set[int]:
    """The unread messages of a client that started from the state and applied the events."""
    unread = {
        number
        for place in listener.state["unread_msgs"]["streams"]
        for number in place["unread_message_ids"]
    }
    for event in await listener.new_events():
        unread = _after(unread, event)
    return unread


def _after(unread: set[int], event: dict[str, Any]) -> set[int]:
    if event["type"] == "message" and "read" not in event["flags"]:
        return unread | {event["message"]["id"]}
    if event["type"] == "update_message_flags" and event["flag"] == "read":
        messages = set(event["messages"])
        return unread - messages if event["op"] == "add" else unread | messages
    if event["type"] == "delete_message":
        return unread - set(event.get("message_ids", [event.get("message_id")]))
    return unread


class TestUnsubscribing:
    @pytest.mark.any_database
    async def test_unread_messages_become_read(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        first = await send(client, writer, general, "one")
        await mark(client, reader, first)
        await mark(client, reader, first, op="remove")
        listener = await listen(client, reader)
        second = await send(client, writer, general, "two")
        assert await unread_ids(client, reader) == {first, second}
        assert_success(await unsubscribe(client, reader, "general"))
        assert_success(await subscribe(client, reader, "general"))
        late = await send(client, writer, general, "two")
        assert await unread_ids(client, reader) == {late}
        assert await unread_by_events(listener) == {late}

    async def test_message_marked_unread_in_a_channel_that_was_read_becomes_read(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        first, _second = [await send(client, writer, general) for _ in range(2)]
        await client.post("/mark_stream_as_read", reader, stream_id=general.id)
        await mark(client, reader, first, op="remove")
        listener = await listen(client, reader, event_types=["update_message_flags"])
        assert_success(await unsubscribe(client, reader, "general"))
        assert [event["messages"] for event in await listener.new_events()] == [[first]]

    @pytest.mark.any_database
    async def test_late_poll_includes_messages_deleted_later(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        """They get no event about the deletion: they are no longer subscribed."""
        deleted = await send(client, writer, general)
        listener = await listen(client, reader)
        assert_success(await unsubscribe(client, reader, "general"))
        assert_success(await client.delete(f"/messages/{deleted}", writer))
        assert await unread_by_events(listener) == set()

    async def test_flag_event_comes_before_the_channel_is_removed(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        unread = await send(client, writer, general)
        wanted = ["update_message_flags", "subscription"]
        listener = await listen(client, reader, event_types=wanted)
        assert_success(await unsubscribe(client, reader, "general"))
        events = await listener.new_events()
        assert [event["type"] for event in events] == wanted
        assert events[0]["messages"] == [unread]

    @pytest.mark.any_database
    async def test_no_flag_event_without_unread_messages(
        self, client: ApiClient, general: ChannelRecord, reader: Person
    ) -> None:
        listener = await listen(client, reader, event_types=["update_message_flags"])
        assert_success(await unsubscribe(client, reader, "general"))
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_each_user_gets_their_own_unread_messages(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        reader: Person,
        writer: Person,
    ) -> None:
        channel = await make_channel("busy", subscribers=[owner, reader, writer])
        ids = [await send(client, owner, channel) for _ in range(2)]
        await client.post("/mark_stream_as_read", writer, stream_id=channel.id)
        ids.append(await send(client, owner, channel))
        listeners = [
            await listen(client, each, event_types=["update_message_flags"])
            for each in (reader, writer)
        ]
        people = [reader.user_id, writer.user_id]
        assert_success(await unsubscribe(client, owner, "busy", principals=people))
        told = [[event["messages"] for event in await each.new_events()] for each in listeners]
        assert told == [[ids], [ids[2:]]]


class TestMovedOut:
    @pytest.mark.any_database
    @pytest.mark.parametrize("kind", ["public", "private", "protected"])
    async def test_messages_moved_to_an_unsubscribed_channel_become_read(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        reader: Person,
        kind: str,
    ) -> None:
        options = {
            "invite_only": kind != "public",
            "history_public_to_subscribers": kind != "protected",
        }
        source = await make_channel("source", subscribers=[owner], **options)
        target = await make_channel("target", subscribers=[owner])
        early = await send(client, owner, source, "one")
        quietly = {"send_new_subscription_messages": False}
        people = [reader.user_id]
        assert_success(await subscribe(client, owner, "source", principals=people, **quietly))
        listener = await listen(client, reader)
        moved = await send(client, owner, source, "one")
        periods = await send(client, owner, source, "two")
        await move(client, owner, early, stream_id=target.id, propagate_mode="change_all")
        assert await unread_ids(client, reader) == {periods}
        events = await listener.new_events()
        unread: set[int] = set()
        for event in events:
            unread = _after(unread, event)
        assert unread == {periods}
        flagged = [event for event in events if event["type"] == "update_message_flags"]
        expected = [moved] if kind == "protected" else [early, moved]
        assert [event["messages"] for event in flagged] == [expected]
