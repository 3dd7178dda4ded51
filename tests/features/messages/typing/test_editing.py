"""POST /messages/{message_id}/typing."""

from typing import Any

import pytest

from chatapi.core.ids import MessageId
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe
from tests.features.messages.fetch.conversations import send, send_direct
from tests.features.realm.settings import change_realm
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import ApiResponse, assert_error, assert_success


async def edit(
    client: ApiClient, person: Person | None, message_id: MessageId, op: str = "start"
) -> ApiResponse:
    return await client.post(f"/messages/{message_id}/typing", person, op=op)


async def listen_to_edits(client: ApiClient, person: Person, **params: object) -> Listener:
    wanted: dict[str, Any] = {"event_types": ["typing_edit_message"], "fetch_event_types": []}
    return await listen(client, person, **wanted, **params)


@pytest.mark.any_database
class TestEditTyping:
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person) -> None:
        message_id = await send_direct(client, member, member)
        assert_error(await edit(client, None, message_id), "UNAUTHORIZED", 401)

    @pytest.mark.parametrize("op", ["start", "stop"])
    async def test_in_direct_messages(
        self, client: ApiClient, make_user: MakeUser, owner: Person, member: Person, op: str
    ) -> None:
        message_id = await send_direct(client, owner, member)
        listener = await listen_to_edits(client, member)
        outside = await listen_to_edits(client, await make_user())
        assert assert_success(await edit(client, owner, message_id, op)) == {}
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "typing_edit_message",
            "op": op,
            "sender_id": owner.user_id,
            "message_id": message_id,
            "recipient": {
                "type": "direct",
                "user_ids": sorted([owner.user_id, member.user_id]),
            },
        }
        assert await outside.new_events() == []

    async def test_in_channels(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        message_id = await send(client, owner, channel, topic="")
        listener = await listen_to_edits(client, member)
        modern = await listen_to_edits(
            client, member, client_capabilities={"empty_topic_name": True}
        )
        assert_success(await edit(client, owner, message_id))
        [event] = await listener.new_events()
        place = {"type": "channel", "channel_id": channel.id}
        assert event["recipient"] == {**place, "topic": "general chat"}
        [event] = await modern.new_events()
        assert event["recipient"] == {**place, "topic": ""}

    async def test_protected_history_stays_protected(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        message_id = await send(client, owner, channel)
        joined = await subscribe(client, owner, channel.name, principals=[member.user_id])
        assert_success(joined)
        listener = await listen_to_edits(client, member)
        assert_success(await edit(client, owner, message_id))
        assert await listener.new_events() == []

    async def test_only_for_messages_the_caller_may_edit(
        self, client: ApiClient, make_user: MakeUser, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member)
        refusal = assert_error(await edit(client, member, message_id))
        assert refusal == "You don't have permission to edit this message"
        unknown = assert_error(await edit(client, await make_user(), message_id))
        assert unknown == "Invalid message(s)"
        assert "Invalid op" in assert_error(await edit(client, owner, message_id, "pause"))
        await change_realm(client, owner, allow_message_editing=False)
        assert_error(await edit(client, owner, message_id))

    async def test_settings_of_sender_and_recipient_turn_it_off(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        direct = await send_direct(client, owner, member)
        in_channel = await send(client, owner, await make_channel(subscribers=[owner, member]))
        listener = await listen_to_edits(client, member)
        assert_success(await client.patch("/settings", member, receives_typing_notifications=False))
        assert_success(await edit(client, owner, direct))
        assert await listener.new_events() == []
        off = {
            "send_private_typing_notifications": False,
            "send_stream_typing_notifications": False,
        }
        assert_success(await client.patch("/settings", owner, **off))
        for message_id in (direct, in_channel):
            assert "disabled" in assert_error(await edit(client, owner, message_id))
