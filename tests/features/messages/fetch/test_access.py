"""Access to messages: one rule, checked through every way to read a message."""

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.main import ChatApp
from tests.factories import MakeChannel, Person, make_realm, make_user
from tests.features.channels.channels import subscribe, unnamed, unsubscribe
from tests.features.messages.fetch.conversations import (
    Term,
    ask,
    ids_read,
    read,
    send,
    send_direct,
    show,
)
from tests.features.realm.settings import change_realm
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success


async def can_read(
    client: ApiClient, person: Person, channel: ChannelRecord, message_id: MessageId
) -> bool:
    """Whether a user can read a message of a channel; all ways to read it must agree."""
    one = (await client.get(f"/messages/{message_id}", person)).status == 200
    listed = assert_success(await client.get("/messages", person, message_ids=[message_id]))
    narrowed = await ask(client, person, ["channel", channel.id])
    by_id = await ids_read(client, person, ["id", message_id])
    flagged = await client.post(
        "/messages/flags", person, messages=[message_id], op="add", flag="starred"
    )
    if narrowed.status != 200:
        refusal = assert_error(narrowed, "BAD_REQUEST")
        assert refusal == f"Invalid narrow operator: unknown channel {channel.id}"
    in_channel = narrowed.status == 200 and message_id in [
        message["id"] for message in narrowed["messages"]
    ]
    ways = {one, bool(listed["messages"]), in_channel, bool(by_id), flagged.status == 200}
    assert len(ways) == 1, ways
    return one


class TestChannels:
    @pytest.mark.any_database
    async def test_public_channels_are_readable_by_all_but_guests(
        self,
        client: ApiClient,
        general: ChannelRecord,
        writer: Person,
        member: Person,
        guest: Person,
    ) -> None:
        message_id = await send(client, writer, general)
        assert await can_read(client, member, general, message_id)
        assert not await can_read(client, guest, general, message_id)

    async def test_private_channels_are_readable_by_subscribers_only(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        reader: Person,
        owner: Person,
        guest: Person,
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[reader, guest])
        message_id = await send(client, reader, secret)
        assert await can_read(client, guest, secret, message_id)
        # Administrators see that it exists, but cannot read it.
        assert (await ask(client, owner, ["channel", "secret"]))["messages"] == []
        assert (await client.get(f"/messages/{message_id}", owner)).status == 400

    async def test_private_channel_may_give_access_to_other_users(
        self, client: ApiClient, make_channel: MakeChannel, reader: Person, member: Person
    ) -> None:
        named = await make_channel(
            "named",
            invite_only=True,
            history_public_to_subscribers=True,
            subscribers=[reader],
            can_subscribe_group=unnamed([member]),
        )
        assert await can_read(client, member, named, await send(client, reader, named))

    async def test_former_subscribers_of_private_channels_cannot_read(
        self, client: ApiClient, make_channel: MakeChannel, reader: Person, writer: Person
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[reader, writer])
        message_id = await send(client, writer, secret)
        assert await can_read(client, reader, secret, message_id)
        assert_success(await unsubscribe(client, reader, "secret"))
        assert not await can_read(client, reader, secret, message_id)
        assert await ids_read(client, reader) == []

    @pytest.mark.any_database
    async def test_new_subscribers_can_read_history(
        self, client: ApiClient, general: ChannelRecord, writer: Person, member: Person
    ) -> None:
        before = await send(client, writer, general)
        assert_success(await subscribe(client, member, "general"))
        after = await send(client, writer, general)
        assert await ids_read(client, member) == [after]
        assert await ids_read(client, member, ["channel", "general"]) == [before, after]
        flags = {each: (await show(client, member, each))["flags"] for each in (before, after)}
        assert flags == {before: ["read", "historical"], after: []}

    async def test_protected_history(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        writer: Person,
        reader: Person,
    ) -> None:
        guarded = await make_channel(
            "guarded",
            invite_only=True,
            history_public_to_subscribers=False,
            subscribers=[writer, owner],
        )

        async def let_in() -> None:
            assert_success(await subscribe(client, owner, "guarded", principals=[reader.user_id]))

        before = await send(client, writer, guarded)
        await let_in()
        first_stay = await send(client, writer, guarded)
        assert_success(await unsubscribe(client, reader, "guarded"))
        between = await send(client, writer, guarded)
        await let_in()
        second_stay = await send(client, writer, guarded)
        seen = [
            message_id
            for message_id in (before, first_stay, between, second_stay)
            if await can_read(client, reader, guarded, message_id)
        ]
        assert seen == [first_stay, second_stay]
        feed = await ids_read(client, reader, {"operator": "is", "operand": "dm", "negated": True})
        assert feed == seen
        topic: list[Term] = [["channel", "guarded"], ["topic", "greetings"]]
        assert await ids_read(client, reader, *topic) == seen
        assert (await read(client, reader, *topic, anchor="oldest", num_after=1))["messages"][0][
            "id"
        ] == first_stay


class TestDirectMessages:
    async def test_are_readable_by_participants_only(
        self, client: ApiClient, reader: Person, writer: Person, owner: Person
    ) -> None:
        message_id = await send_direct(client, writer, reader)
        assert (await show(client, reader, message_id))["type"] == "private"
        assert (await show(client, writer, message_id))["type"] == "private"
        refused = await client.get(f"/messages/{message_id}", owner)
        assert assert_error(refused) == "Invalid message(s)"
        assert await ids_read(client, owner, ["id", message_id]) == []
        assert await ids_read(client, owner, ["dm", [reader.user_id, writer.user_id]]) == []


class TestOtherOrganizations:
    async def test_users_of_another_realm_see_nothing(
        self,
        app: ChatApp,
        runtime: Runtime,
        client: ApiClient,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
    ) -> None:
        in_channel = await send(client, writer, general)
        direct = await send_direct(client, writer, reader)
        other = await make_realm(runtime, "Other", "other")
        stranger = await make_user(runtime, other)
        there = ApiClient(app, "other.localhost")
        for message_id in (in_channel, direct):
            refused = await there.get(f"/messages/{message_id}", stranger)
            assert assert_error(refused) == "Invalid message(s)"
        ids = [in_channel, direct]
        response = assert_success(await there.get("/messages", stranger, message_ids=ids))
        assert response["messages"] == []
        assert_error(await ask(there, stranger, ["channel", general.id]), "BAD_REQUEST")
        assert_error(await ask(there, stranger, ["dm", [writer.user_id]]), "BAD_REQUEST")
        await there.aclose()


class TestAnonymousReaders:
    @pytest.fixture
    async def open_channel(
        self, client: ApiClient, owner: Person, writer: Person, make_channel: MakeChannel
    ) -> ChannelRecord:
        await change_realm(client, owner, enable_spectator_access=True)
        return await make_channel("open", is_web_public=True, subscribers=[writer])

    async def test_can_read_web_public_channels(
        self, client: ApiClient, open_channel: ChannelRecord, general: ChannelRecord, writer: Person
    ) -> None:
        await send(client, writer, general)
        message_id = await send(client, writer, open_channel)
        assert await ids_read(client, None, ["channel", "open"]) == [message_id]
        assert await ids_read(client, None, ["channels", "web-public"]) == [message_id]
        shown = await show(client, None, message_id)
        assert shown["flags"] == ["read"]
        assert shown["sender_email"] == f"user{writer.user_id}@acme.localhost"

    async def test_cannot_read_anything_else(
        self,
        client: ApiClient,
        open_channel: ChannelRecord,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
    ) -> None:
        message_id = await send(client, writer, general)
        direct = await send_direct(client, writer, reader)
        assert_error(await ask(client, None), "UNAUTHORIZED", 401)
        assert_error(await ask(client, None, ["id", message_id]), "UNAUTHORIZED", 401)
        assert_error(await ask(client, None, ["is", "dm"]), "UNAUTHORIZED", 401)
        assert_error(await ask(client, None, ["dm", writer.email]), "UNAUTHORIZED", 401)
        assert_error(await ask(client, None, ["channel", "general"]), "BAD_REQUEST")
        assert await ids_read(client, None, ["channels", "public"]) == []
        for hidden in (message_id, direct):
            assert_error(await client.get(f"/messages/{hidden}"), "UNAUTHORIZED", 401)
        by_ids = await client.get(
            "/messages", message_ids=[message_id, direct], narrow=[["channels", "web-public"]]
        )
        assert assert_success(by_ids)["messages"] == []

    async def test_only_while_spectator_access_is_enabled(
        self, client: ApiClient, open_channel: ChannelRecord, owner: Person, writer: Person
    ) -> None:
        message_id = await send(client, writer, open_channel)
        await change_realm(client, owner, enable_spectator_access=False)
        assert_error(await ask(client, None, ["channel", "open"]), "BAD_REQUEST")
        assert await ids_read(client, None, ["channels", "web-public"]) == []
        assert_error(await client.get(f"/messages/{message_id}"), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_wrong_key_is_refused(
        self, client: ApiClient, open_channel: ChannelRecord, writer: Person
    ) -> None:
        wrong = Person(writer.user_id, writer.email, "wrong")
        assert_error(await ask(client, wrong, ["channel", "open"]), "UNAUTHORIZED", 401)


class TestGuests:
    @pytest.mark.any_database
    async def test_read_subscribed_and_web_public_channels(
        self,
        client: ApiClient,
        owner: Person,
        guest: Person,
        writer: Person,
        make_channel: MakeChannel,
    ) -> None:
        await change_realm(client, owner, enable_spectator_access=True)
        inside = await make_channel("inside", subscribers=[guest, writer])
        web = await make_channel("web", is_web_public=True, subscribers=[writer])
        here, there = await send(client, writer, inside), await send(client, writer, web)
        assert await can_read(client, guest, inside, here)
        assert await can_read(client, guest, web, there)
