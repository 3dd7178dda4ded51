"""A chat through the existing Python client: subscribe, send, read and listen."""

import asyncio

import pytest
import zulip

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from tests.clients.python_client import Client, connect
from tests.factories import Person
from tests.support.waiting import until_polls_wait

TO_GENERAL = {"type": "stream", "to": "general", "topic": "greetings", "content": "Hello **you**"}


@pytest.fixture
async def alice(url: str, owner: Person) -> Client:
    return await connect(url, owner)


@pytest.fixture
async def bob(url: str, member: Person) -> Client:
    return await connect(url, member)


@pytest.fixture
async def general(alice: Client, bob: Client) -> int:
    """The id of a channel with both users subscribed."""
    for client in (alice, bob):
        await client.succeed(zulip.Client.add_subscriptions, [{"name": "general"}])
    found = await alice.succeed(zulip.Client.get_stream_id, "general")
    return int(found["stream_id"])


class TestSubscriptions:
    async def test_are_created_with_their_channel(
        self, alice: Client, bob: Client, owner: Person, member: Person
    ) -> None:
        streams = [{"name": "general", "description": "Anything"}]
        created = await alice.succeed(
            zulip.Client.add_subscriptions, streams, principals=[owner.user_id, member.user_id]
        )
        assert created["already_subscribed"] == {}
        theirs = await bob.succeed(zulip.Client.get_subscriptions)
        (subscription,) = theirs["subscriptions"]
        assert (subscription["name"], subscription["description"]) == ("general", "Anything")
        again = await bob.succeed(zulip.Client.add_subscriptions, streams)
        assert list(again["already_subscribed"].values()) == [["general"]]

    async def test_end(self, alice: Client, bob: Client, owner: Person, general: int) -> None:
        response = await bob.succeed(zulip.Client.remove_subscriptions, ["general"])
        assert (response["removed"], response["not_removed"]) == (["general"], [])
        remaining = await alice.succeed(zulip.Client.get_subscribers, stream="general")
        assert remaining["subscribers"] == [owner.user_id]

    async def test_of_channels_that_can_be_listed(self, bob: Client, general: int) -> None:
        response = await bob.succeed(zulip.Client.get_streams, include_public=True)
        assert [stream["stream_id"] for stream in response["streams"]] == [general]

    async def test_without_channels_are_refused(self, alice: Client) -> None:
        response = await alice.call(zulip.Client.get_stream_id, "nowhere")
        assert response["result"] == "error"
        assert await alice.call(zulip.Client.get_subscribers, stream="nowhere") == response


class TestMessages:
    async def test_are_read_where_they_were_sent(
        self, alice: Client, bob: Client, general: int
    ) -> None:
        sent = await alice.succeed(zulip.Client.send_message, TO_GENERAL)
        narrow = [
            {"operator": "stream", "operand": "general"},
            {"operator": "topic", "operand": "greetings"},
        ]
        request = {"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": narrow}
        (message,) = (await bob.succeed(zulip.Client.get_messages, request))["messages"]
        assert message["id"] == sent["id"]
        assert message["content"] == "<p>Hello <strong>you</strong></p>"
        assert (message["stream_id"], message["subject"]) == (general, "greetings")
        raw = await bob.succeed(zulip.Client.get_raw_message, sent["id"])
        assert raw["raw_content"] == TO_GENERAL["content"]
        topics = await bob.succeed(zulip.Client.get_stream_topics, general)
        newest, _channel_events = topics["topics"]
        assert newest == {"name": "greetings", "max_id": sent["id"]}

    async def test_direct_messages(
        self, alice: Client, bob: Client, owner: Person, member: Person
    ) -> None:
        message = {"type": "private", "to": [member.email], "content": "Psst"}
        sent = await alice.succeed(zulip.Client.send_message, message)
        narrow = [{"operator": "dm", "operand": [owner.user_id]}]
        request = {"anchor": "newest", "num_before": 10, "num_after": 0, "narrow": narrow}
        (shown,) = (await bob.succeed(zulip.Client.get_messages, request))["messages"]
        assert shown["id"] == sent["id"]
        assert {person["id"] for person in shown["display_recipient"]} == {
            owner.user_id,
            member.user_id,
        }

    async def test_are_marked_as_read(self, alice: Client, bob: Client, general: int) -> None:
        ids = [(await alice.succeed(zulip.Client.send_message, TO_GENERAL))["id"] for _ in range(3)]
        change = {"messages": ids[:1], "op": "add", "flag": "read"}
        marked = await bob.succeed(zulip.Client.update_message_flags, change)
        assert marked["messages"] == ids[:1]
        assert await self.unread(bob) == ids[1:]
        await bob.succeed(zulip.Client.mark_topic_as_read, general, "greetings")
        assert await self.unread(bob) == []

    async def unread(self, client: Client) -> list[int]:
        types = ["message", "update_message_flags"]
        state = await client.succeed(zulip.Client.register, event_types=types)
        return [
            message_id
            for stream in state["unread_msgs"]["streams"]
            for message_id in stream["unread_message_ids"]
        ]

    async def test_can_be_rendered_before_sending(self, alice: Client) -> None:
        rendered = await alice.succeed(zulip.Client.render_message, {"content": "*Hello*"})
        assert rendered["rendered"] == "<p><em>Hello</em></p>"


class TestListening:
    """The client has two loops of its own, which never end by themselves."""

    async def test_to_each_message(
        self, alice: Client, bob: Client, general: int, runtime: Runtime, realm: RealmRecord
    ) -> None:
        listening = asyncio.create_task(bob.hear(zulip.Client.call_on_each_message, 3))
        await until_polls_wait(runtime, realm)
        contents = ["one", "two", "three"]
        for content in contents:
            await alice.succeed(zulip.Client.send_message, {**TO_GENERAL, "content": content})
        heard = await listening
        assert [message["content"] for message in heard] == contents

    async def test_to_everything_else(
        self,
        url: str,
        alice: Client,
        bob: Client,
        owner: Person,
        member: Person,
        general: int,
        runtime: Runtime,
        realm: RealmRecord,
    ) -> None:
        types = ["message", "typing", "subscription", "update_message_flags"]
        listening = asyncio.create_task(
            bob.hear(zulip.Client.call_on_each_event, 4, event_types=types)
        )
        await until_polls_wait(runtime, realm)
        typing = {"type": "direct", "op": "start", "to": [member.user_id]}
        await alice.succeed(zulip.Client.set_typing_status, typing)
        other = await connect(url, member)
        direct = {"type": "direct", "to": [member.user_id], "content": "Hello"}
        sent = await alice.succeed(zulip.Client.send_message, direct)
        change = {"messages": [sent["id"]], "op": "add", "flag": "starred"}
        await other.succeed(zulip.Client.update_message_flags, change)
        await other.succeed(zulip.Client.remove_subscriptions, ["general"])
        typed, message, flagged, left = await listening
        assert (typed["op"], typed["sender"]["user_id"]) == ("start", owner.user_id)
        assert message["message"]["content"] == "Hello"
        assert (flagged["flag"], flagged["messages"]) == ("starred", [sent["id"]])
        assert (left["op"], left["subscriptions"][0]["stream_id"]) == ("remove", general)


class TestPresence:
    async def test_of_others_can_be_seen(
        self, alice: Client, bob: Client, owner: Person, member: Person
    ) -> None:
        ping = {"status": "active", "ping_only": False, "new_user_input": True}
        await alice.succeed(zulip.Client.update_presence, ping)
        everybody = await bob.succeed(zulip.Client.update_presence, ping)
        assert set(everybody["presences"]) == {owner.email, member.email}
        again = await bob.succeed(zulip.Client.get_realm_presence)
        assert again["presences"] == everybody["presences"]
        one = await bob.succeed(zulip.Client.get_user_presence, owner.user_id)
        assert one["presence"]["aggregated"]["status"] == "active"
