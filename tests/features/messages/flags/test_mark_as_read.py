"""Marking a topic, a channel or everything as read."""

import pytest

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, Person
from tests.features.messages.fetch.conversations import mark, send, send_direct, unread_ids
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

TOPIC = "/mark_topic_as_read"
CHANNEL = "/mark_stream_as_read"
ALL = "/mark_all_as_read"


@pytest.mark.any_database
class TestTopic:
    async def test_marks_the_topic_and_nothing_else(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        wanted = [await send(client, writer, general, "one") for _ in range(3)]
        other = await send(client, writer, general, "two")
        listener = await listen(client, reader, event_types=["update_message_flags"])
        response = await client.post(TOPIC, reader, stream_id=general.id, topic_name="ONE")
        assert assert_success(response) == {}
        assert await unread_ids(client, reader) == {other}
        [event] = await listener.new_events()
        assert event["messages"] == wanted
        later = await send(client, writer, general, "one")
        assert await unread_ids(client, reader) == {other, later}

    async def test_the_empty_topic(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        await send(client, writer, general, "")
        await client.post(TOPIC, reader, stream_id=general.id, topic_name="general chat")
        assert await unread_ids(client, reader) == set()

    async def test_topic_without_messages(
        self, client: ApiClient, general: ChannelRecord, reader: Person
    ) -> None:
        listener = await listen(client, reader, event_types=["update_message_flags"])
        response = await client.post(TOPIC, reader, stream_id=general.id, topic_name="nothing")
        assert_success(response)
        assert await listener.new_events() == []

    async def test_messages_marked_unread_before(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        first, second = await send(client, writer, general), await send(client, writer, general)
        await mark(client, reader, first, second)
        await mark(client, reader, first, op="remove")
        await client.post(TOPIC, reader, stream_id=general.id, topic_name="greetings")
        assert await unread_ids(client, reader) == set()

    @pytest.mark.parametrize("missing", ["stream_id", "topic_name"])
    async def test_missing_parameters(
        self, client: ApiClient, general: ChannelRecord, reader: Person, missing: str
    ) -> None:
        asked: dict[str, object] = {"stream_id": general.id, "topic_name": "x"}
        del asked[missing]
        assert missing in assert_error(await client.post(TOPIC, reader, **asked))


class TestChannel:
    async def test_marks_all_topics_of_the_channel(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
    ) -> None:
        other = await make_channel("other", subscribers=[reader, writer])
        first = await send(client, writer, general, "one")
        await mark(client, reader, first)
        await mark(client, reader, first, op="remove")
        second = await send(client, writer, general, "two")
        elsewhere = await send(client, writer, other)
        direct = await send_direct(client, writer, reader)
        listener = await listen(client, reader, event_types=["update_message_flags"])
        assert assert_success(await client.post(CHANNEL, reader, stream_id=general.id)) == {}
        assert await unread_ids(client, reader) == {elsewhere, direct}
        [event] = await listener.new_events()
        assert event["messages"] == [first, second]
        again = await send(client, writer, general, "one")
        assert await unread_ids(client, reader) == {elsewhere, direct, again}

    @pytest.mark.any_database
    @pytest.mark.parametrize("path", [CHANNEL, TOPIC])
    async def test_unknown_and_hidden_channels(
        self, client: ApiClient, make_channel: MakeChannel, reader: Person, path: str
    ) -> None:
        secret = await make_channel("secret", invite_only=True)
        for stream_id in (secret.id, 999_999):
            response = await client.post(path, reader, stream_id=stream_id, topic_name="x")
            assert assert_error(response) == "Invalid channel ID"


class TestAll:
    async def test_marks_everything(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        first = await send(client, writer, general)
        await mark(client, reader, first)
        await mark(client, reader, first, op="remove")
        await send_direct(client, writer, reader)
        listener = await listen(client, reader, event_types=["update_message_flags"])
        assert assert_success(await client.post(ALL, reader)) == {"complete": True}
        assert await unread_ids(client, reader) == set()
        [event] = await listener.new_events()
        assert (event["all"], event["messages"]) == (True, [])
        later = await send(client, writer, general)
        assert await unread_ids(client, reader) == {later}

    @pytest.mark.any_database
    async def test_before_the_first_message(self, client: ApiClient, reader: Person) -> None:
        assert assert_success(await client.post(ALL, reader)) == {"complete": True}
