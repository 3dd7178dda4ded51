"""POST /messages/flags."""

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.main import ChatApp
from tests.factories import MakeChannel, Person, make_realm, make_user
from tests.features.channels.channels import subscribe, unsubscribe
from tests.features.messages.fetch.conversations import (
    flags_of,
    mark,
    send,
    send_direct,
    unread_ids,
)
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

NONE_IGNORED: dict[str, object] = {"ignored_because_not_subscribed_channels": []}


@pytest.mark.any_database
class TestRead:
    async def test_marks_messages_one_by_one(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        first, second = await send(client, writer, general), await send(client, writer, general)
        assert await unread_ids(client, reader) == {first, second}
        assert await mark(client, reader, second) == {"messages": [second], **NONE_IGNORED}
        assert await unread_ids(client, reader) == {first}
        assert await mark(client, reader, first, second) == {"messages": [first], **NONE_IGNORED}
        assert await unread_ids(client, reader) == set()
        assert await flags_of(client, reader, first) == {"read"}
        # Nothing becomes read for other users.
        assert await unread_ids(client, writer) == {first, second}

    async def test_marks_messages_as_unread_again(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        first, second = await send(client, writer, general), await send(client, writer, general)
        await mark(client, reader, first, second)
        response = await mark(client, reader, first, op="remove")
        assert response == {"messages": [first], **NONE_IGNORED}
        assert await unread_ids(client, reader) == {first}
        assert await flags_of(client, reader, first) == set()
        assert (await mark(client, reader, first, op="remove"))["messages"] == []

    async def test_own_messages_read_by_sending_can_be_marked_unread(
        self, client: ApiClient, general: ChannelRecord, reader: Person
    ) -> None:
        own = await send(client, reader, general, read_by_sender=True)
        assert await unread_ids(client, reader) == set()
        assert await mark(client, reader, own) == {"messages": [], **NONE_IGNORED}
        await mark(client, reader, own, op="remove")
        assert await unread_ids(client, reader) == {own}
        await mark(client, reader, own)
        assert await unread_ids(client, reader) == set()

    async def test_across_conversations(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        ids = [
            await send(client, writer, general, "one"),
            await send(client, writer, general, "two"),
            await send_direct(client, writer, reader),
        ]
        later = await send(client, writer, general, "one")
        assert (await mark(client, reader, *reversed(ids)))["messages"] == ids
        assert await unread_ids(client, reader) == {later}

    async def test_history_before_subscribing_can_be_marked_unread(
        self, client: ApiClient, general: ChannelRecord, writer: Person, member: Person
    ) -> None:
        before = await send(client, writer, general)
        assert_success(await subscribe(client, member, "general"))
        assert await unread_ids(client, member) == set()
        await mark(client, member, before, op="remove")
        assert await unread_ids(client, member) == {before}

    async def test_unsubscribed_channels_have_nothing_unread(
        self,
        client: ApiClient,
        general: ChannelRecord,
        writer: Person,
        reader: Person,
        member: Person,
    ) -> None:
        message_id = await send(client, writer, general)
        direct = await send_direct(client, writer, member)
        await mark(client, member, direct)
        response = await mark(client, member, message_id, direct, op="remove")
        assert response == {
            "messages": [direct],
            "ignored_because_not_subscribed_channels": [general.id],
        }
        assert await mark(client, member, message_id) == {"messages": [], **NONE_IGNORED}
        assert await unread_ids(client, member) == {direct}

    async def test_resubscribing_user_has_read_everything(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person
    ) -> None:
        first = await send(client, writer, general)
        await mark(client, reader, first)
        await mark(client, reader, first, op="remove")
        await send(client, writer, general)
        assert_success(await unsubscribe(client, reader, "general"))
        assert await unread_ids(client, reader) == set()
        assert_success(await subscribe(client, reader, "general"))
        assert await unread_ids(client, reader) == set()


@pytest.mark.any_database
@pytest.mark.parametrize("flag", ["starred", "collapsed"])
class TestOtherFlags:
    async def test_are_added_and_removed(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person, flag: str
    ) -> None:
        message_id = await send(client, writer, general)
        assert await mark(client, reader, message_id, flag=flag) == {
            "messages": [message_id],
            **NONE_IGNORED,
        }
        assert await mark(client, reader, message_id, flag=flag) == {"messages": [], **NONE_IGNORED}
        assert flag in await flags_of(client, reader, message_id)
        removed = await mark(client, reader, message_id, flag=flag, op="remove")
        assert removed == {"messages": [message_id], **NONE_IGNORED}
        assert flag not in await flags_of(client, reader, message_id)

    async def test_do_not_affect_each_other(
        self, client: ApiClient, general: ChannelRecord, reader: Person, writer: Person, flag: str
    ) -> None:
        message_id = await send(client, writer, general)
        for each in ("starred", "collapsed"):
            await mark(client, reader, message_id, flag=each)
        await mark(client, reader, message_id, flag=flag, op="remove")
        assert await flags_of(client, reader, message_id) == {"starred", "collapsed"} - {flag}


class TestRefusals:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "message"),
        [
            ({"flag": "shiny"}, "Invalid flag: 'shiny'"),
            ({"flag": "mentioned"}, "Flag not editable: 'mentioned'"),
            ({"flag": "historical"}, "Flag not editable: 'historical'"),
            ({"op": "toggle"}, "Invalid op"),
            ({"messages": "x"}, 'Argument "messages" is not valid JSON.'),
            ({"messages": ["1"]}, "messages[0] is not an integer"),
            ({"messages": [999_999]}, "Invalid message(s)"),
            ({"messages": [2**63]}, "messages[0] is too large"),
            ({"messages": list(range(20_001))}, "messages has too many entries"),
        ],
    )
    async def test_bad_parameters(
        self,
        client: ApiClient,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
        params: dict[str, object],
        message: str,
    ) -> None:
        message_id = await send(client, writer, general)
        asked = {"messages": [message_id], "op": "add", "flag": "read", **params}
        refused = await client.post("/messages/flags", reader, **asked)
        assert assert_error(refused).startswith(message)
        assert await unread_ids(client, reader) == {message_id}

    @pytest.mark.any_database
    async def test_one_hidden_message_refuses_the_whole_request(
        self,
        app: ChatApp,
        runtime: Runtime,
        client: ApiClient,
        make_channel: MakeChannel,
        general: ChannelRecord,
        reader: Person,
        writer: Person,
        owner: Person,
    ) -> None:
        secret = await make_channel("secret", invite_only=True, subscribers=[writer])
        seen = await send(client, writer, general)
        other = await make_realm(runtime, "Other", "other")
        strangers = [await make_user(runtime, other), await make_user(runtime, other)]
        there = ApiClient(app, "other.localhost")
        here = ApiClient(app, "acme.localhost")
        hidden = [
            await send(here, writer, secret),
            await send_direct(here, writer, owner),
            await send_direct(there, *strangers),
        ]
        listener = await listen(here, reader, event_types=["update_message_flags"])
        for message_id in hidden:
            for flag in ("read", "starred"):
                refused = await here.post(
                    "/messages/flags", reader, messages=[seen, message_id], op="add", flag=flag
                )
                assert assert_error(refused) == "Invalid message(s)"
        assert await flags_of(here, reader, seen) == set()
        assert await listener.new_events() == []
        await there.aclose()
        await here.aclose()
