"""The message state in responses of POST /register."""

from typing import Any

import pytest

from chatapi.channel_cache.records import ChannelRecord
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe, unsubscribe
from tests.features.messages.fetch.conversations import (
    mark,
    send,
    send_direct,
    unread_ids,
    unread_state,
)
from tests.support.client import ApiClient
from tests.support.responses import assert_success


async def registered(client: ApiClient, person: Person, *fetch: str) -> dict[str, Any]:
    return assert_success(await client.post("/register", person, fetch_event_types=list(fetch)))


class TestUnread:
    @pytest.mark.any_database
    async def test_nothing(self, client: ApiClient, reader: Person) -> None:
        assert await unread_state(client, reader) == {
            "count": 0,
            "pms": [],
            "streams": [],
            "huddles": [],
            "mentions": [],
            "old_unreads_missing": False,
        }

    @pytest.mark.any_database
    async def test_by_conversation(
        self,
        client: ApiClient,
        make_user: MakeUser,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
    ) -> None:
        third = await make_user()
        in_topic = [await send(client, writer, general, "one") for _ in range(2)]
        nameless = await send(client, writer, general, "", "@**all**")
        direct = await send_direct(client, writer, reader)
        to_self = await send_direct(client, reader, reader)
        group = await send_direct(client, third, reader, writer, content="@**Reader**")
        people = ",".join(str(each.user_id) for each in (reader, writer, third))

        def expected(topic: str) -> dict[str, Any]:
            return {
                "count": 6,
                "pms": [_person(writer, direct), _person(reader, to_self)],
                "streams": [
                    {"stream_id": general.id, "topic": "one", "unread_message_ids": in_topic},
                    {"stream_id": general.id, "topic": topic, "unread_message_ids": [nameless]},
                ],
                "huddles": [{"user_ids_string": people, "unread_message_ids": [group]}],
                "mentions": [nameless, group],
                "old_unreads_missing": False,
            }

        assert await unread_state(client, reader) == expected("general chat")
        knows = {"empty_topic_name": True}
        assert await unread_state(client, reader, client_capabilities=knows) == expected("")

    async def test_muted_channels_count_too(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        change = {"stream_id": general.id, "property": "is_muted", "value": True}
        await client.post("/users/me/subscriptions/properties", reader, subscription_data=[change])
        await send(client, writer, general)
        assert (await unread_state(client, reader))["count"] == 1

    @pytest.mark.any_database
    async def test_protected_history_hides_what_was_marked_unread(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, reader: Person
    ) -> None:
        channel = await make_channel(
            "closing",
            invite_only=True,
            history_public_to_subscribers=True,
            subscribers=[owner],
        )
        before = await send(client, owner, channel)
        await subscribe(client, owner, "closing", principals=[reader.user_id])
        await mark(client, reader, before, op="remove")
        assert before in await unread_ids(client, reader)
        changed = await client.patch(
            f"/streams/{channel.id}",
            owner,
            is_private=True,
            history_public_to_subscribers=False,
        )
        assert_success(changed)
        assert before not in await unread_ids(client, reader)

    @pytest.mark.any_database
    async def test_needs_both_types(self, client: ApiClient, reader: Person) -> None:
        assert "unread_msgs" not in await registered(client, reader, "message")
        assert "unread_msgs" not in await registered(client, reader, "update_message_flags")


class TestStarred:
    @pytest.mark.any_database
    async def test_starred_messages_that_are_still_visible(
        self, client: ApiClient, make_channel: MakeChannel, general: ChannelRecord, reader: Person
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[reader])
        ids = [await send(client, reader, channel) for channel in (general, secret)]
        await mark(client, reader, *ids, flag="starred")
        state = await registered(client, reader, "starred_messages")
        assert state["starred_messages"] == ids
        assert_success(await unsubscribe(client, reader, "secret"))
        state = await registered(client, reader, "starred_messages")
        assert state["starred_messages"] == ids[:1]


class TestRecent:
    async def test_direct_conversations_newest_first(
        self, client: ApiClient, make_user: MakeUser, reader: Person, writer: Person
    ) -> None:
        third = await make_user()
        to_self = await send_direct(client, reader, reader)
        await send_direct(client, writer, reader)
        group = await send_direct(client, reader, writer, third)
        direct = await send_direct(client, writer, reader)
        await send_direct(client, writer, third)
        state = await registered(client, reader, "recent_private_conversations")
        assert state["recent_private_conversations"] == [
            {"max_message_id": direct, "user_ids": [writer.user_id]},
            {"max_message_id": group, "user_ids": [writer.user_id, third.user_id]},
            {"max_message_id": to_self, "user_ids": []},
        ]


class TestNewest:
    async def test_counts_from_nothing(
        self, client: ApiClient, reader: Person, general: ChannelRecord
    ) -> None:
        assert (await registered(client, reader, "message"))["max_message_id"] == -1
        message_id = await send(client, reader, general)
        assert (await registered(client, reader, "message"))["max_message_id"] == message_id
        own = assert_success(await client.get("/users/me", reader))
        assert own["max_message_id"] == message_id


def _person(person: Person, message_id: int) -> dict[str, object]:
    return {
        "other_user_id": person.user_id,
        "sender_id": person.user_id,
        "unread_message_ids": [message_id],
    }
