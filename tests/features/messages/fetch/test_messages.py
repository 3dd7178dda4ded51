"""The form of messages when they are fetched, and rendering texts before sending."""

import pytest

from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.roles import EmailVisibility
from tests.factories import MakeUser, Person
from tests.features.messages.fetch.conversations import (
    flags_of,
    ids_read,
    mark,
    read,
    send,
    send_direct,
    show,
)
from tests.features.users.people import hide_email, made_up_email
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success


@pytest.mark.any_database
class TestOneMessage:
    async def test_in_a_channel(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        message_id = await send(client, writer, general, "greetings", "Hello **world**")
        response = assert_success(await client.get(f"/messages/{message_id}", reader))
        assert response["raw_content"] == "Hello **world**"
        assert response["message"] == {
            "id": message_id,
            "sender_id": writer.user_id,
            "sender_email": writer.email,
            "sender_full_name": "Writer",
            "sender_realm_str": "acme",
            "avatar_url": None,
            "client": "python-httpx",
            "content": "<p>Hello <strong>world</strong></p>",
            "content_type": "text/html",
            "display_recipient": "general",
            "is_me_message": False,
            "reactions": [],
            "recipient_id": 2 * general.id,
            "stream_id": general.id,
            "subject": "greetings",
            "submessages": [],
            "timestamp": 1772366400,
            "topic_links": [],
            "type": "stream",
            "flags": [],
        }
        assert (await read(client, reader))["messages"] == [response["message"]]

    async def test_direct_message(self, client: ApiClient, reader: Person, writer: Person) -> None:
        message = await show(client, reader, await send_direct(client, writer, reader))
        assert message["type"] == "private"
        assert message["subject"] == ""
        assert "stream_id" not in message
        people = {person["id"]: person["email"] for person in message["display_recipient"]}
        assert people == {reader.user_id: reader.email, writer.user_id: writer.email}

    async def test_direct_message_to_oneself(self, client: ApiClient, reader: Person) -> None:
        message = await show(client, reader, await send_direct(client, reader, reader))
        assert [person["id"] for person in message["display_recipient"]] == [reader.user_id]

    async def test_as_it_was_written(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        message_id = await send(client, writer, general, content="*Hello*")
        message = await show(client, reader, message_id, apply_markdown=False)
        assert message["content"] == "*Hello*"
        assert message["content_type"] == "text/x-markdown"

    @pytest.mark.parametrize(("allow", "topic"), [(True, ""), (False, "general chat")])
    async def test_without_a_topic(
        self,
        client: ApiClient,
        general: ChannelRecord,
        reader: Person,
        allow: bool,
        topic: str,
    ) -> None:
        message_id = await send(client, reader, general, "")
        message = await show(client, reader, message_id, allow_empty_topic_name=allow)
        assert message["subject"] == topic

    async def test_hidden_addresses(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        await hide_email(client, writer, EmailVisibility.NOBODY)
        message = await show(client, reader, await send(client, writer, general))
        assert message["sender_email"] == made_up_email(writer)
        assert message["avatar_url"] is not None
        found = await ids_read(client, reader, ["sender", made_up_email(writer)])
        assert found == [message["id"]]
        refused = await client.get(
            "/messages",
            reader,
            anchor="newest",
            num_before=1,
            num_after=0,
            narrow=[["sender", writer.email]],
        )
        refusal = assert_error(refused, "BAD_REQUEST")
        assert refusal == f"Invalid narrow operator: unknown user {writer.email}"

    async def test_avatar_urls_for_clients_that_compute_none(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        await send(client, writer, general)
        [message] = (await read(client, reader, client_gravatar=False))["messages"]
        assert message["avatar_url"].startswith("https://")

    @pytest.mark.parametrize("number", ["999999", "0", "9223372036854775807"])
    async def test_unknown_ones(self, client: ApiClient, reader: Person, number: str) -> None:
        response = await client.get(f"/messages/{number}", reader)
        assert assert_error(response) == "Invalid message(s)"


class TestFlags:
    @pytest.mark.any_database
    async def test_flags_set_by_the_reader(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        message_id = await send(client, writer, general)
        for flag in ("read", "starred", "collapsed"):
            await mark(client, reader, message_id, flag=flag)
        assert await flags_of(client, reader, message_id) == {"read", "starred", "collapsed"}
        assert await flags_of(client, writer, message_id) == set()

    async def test_mentions(
        self,
        client: ApiClient,
        general: ChannelRecord,
        make_user: MakeUser,
        owner: Person,
        reader: Person,
        writer: Person,
    ) -> None:
        group = await client.post(
            "/user_groups/create",
            owner,
            name="readers",
            description="",
            members=[reader.user_id],
        )
        assert_success(group)
        texts = {
            "@**Reader**": {"mentioned"},
            "@*readers*": {"mentioned"},
            "@_**Reader**": set(),
            "@**all**": {"stream_wildcard_mentioned"},
            "Hello": set(),
        }
        for text, flags in texts.items():
            message_id = await send(client, writer, general, content=text)
            assert await flags_of(client, reader, message_id) == flags

    async def test_topic_mention_flags_its_participants(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        early = await send(client, writer, general, content="@**topic**")
        await send(client, reader, general)
        late = await send(client, writer, general, content="@**topic**")
        assert await flags_of(client, reader, early) == set()
        assert await flags_of(client, reader, late) == {"topic_wildcard_mentioned"}


@pytest.mark.any_database
class TestRender:
    async def test_returns_the_rendered_text(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        content = "**Hello** @**Writer** in #**general**"
        response = await client.post("/messages/render", reader, content=content)
        rendered = assert_success(response)["rendered"]
        assert "<strong>Hello</strong>" in rendered
        assert f'data-user-id="{writer.user_id}"' in rendered
        assert "#general" in rendered

    async def test_hidden_channels_are_not_linked(
        self, client: ApiClient, general: ChannelRecord, guest: Person
    ) -> None:
        response = await client.post("/messages/render", guest, content="#**general**")
        assert "<a" not in assert_success(response)["rendered"]

    async def test_too_long(self, client: ApiClient, reader: Person) -> None:
        response = await client.post("/messages/render", reader, content="x" * 10_001)
        assert assert_error(response) == "content is too long (limit: 10000 characters)"
