"""PATCH /messages/{message_id} with another text."""

import hashlib

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.messages.edit.editing import edit, listen_to_changes
from tests.features.messages.fetch.conversations import flags_of, ids_read, send, send_direct, show
from tests.features.uploads.files import is_open_to, upload
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_error, assert_success


class TestEdit:
    @pytest.mark.any_database
    async def test_is_stored_and_emitted(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        message_id = await send(client, member, channel, content="helo")
        listener = await listen_to_changes(client, owner)
        response = assert_success(await edit(client, member, message_id, content="hello **you**"))
        assert response == {"detached_uploads": []}
        shown = await show(client, owner, message_id)
        assert shown["content"] == "<p>hello <strong>you</strong></p>"
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "update_message",
            "user_id": member.user_id,
            "rendering_only": False,
            "message_id": message_id,
            "message_ids": [message_id],
            "stream_id": channel.id,
            "edit_timestamp": shown["last_edit_timestamp"],
            "content": "hello **you**",
            "rendered_content": shown["content"],
            "orig_content": "helo",
            "orig_rendered_content": "<p>helo</p>",
            "is_me_message": False,
            "flags": [],
        }

    async def test_search_finds_the_new_text_only(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, channel, content="walrus")
        assert_success(await edit(client, owner, message_id, content="penguin"))
        assert await ids_read(client, owner, ["search", "walrus"]) == []
        assert await ids_read(client, owner, ["search", "penguin"]) == [message_id]

    @pytest.mark.any_database
    async def test_direct_messages(self, client: ApiClient, owner: Person, member: Person) -> None:
        message_id = await send_direct(client, owner, member, content="helo")
        listener = await listen_to_changes(client, member)
        assert_success(await edit(client, owner, message_id, content="hello"))
        [event] = await listener.new_events()
        assert event["content"] == "hello"
        assert "stream_id" not in event

    @pytest.mark.any_database
    async def test_blank_text_becomes_a_deleted_marker(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member)
        assert_success(await edit(client, owner, message_id, content="  \n"))
        assert (await show(client, member, message_id))["content"] == "<p>(deleted)</p>"

    @pytest.mark.any_database
    async def test_same_text_changes_nothing(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member, content="hello")
        listener = await listen_to_changes(client, member)
        assert_success(await edit(client, owner, message_id, content="hello"))
        assert await listener.new_events() == []
        assert "last_edit_timestamp" not in await show(client, owner, message_id)

    async def test_mentions_and_alert_words_follow_the_text(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        assert_success(await client.post("/users/me/alert_words", member, alert_words=["penguin"]))
        message_id = await send(client, owner, channel, content="a penguin")
        listener = await listen_to_changes(client, member)
        text = f"@**{member.full_name}** a walrus"
        assert_success(await edit(client, owner, message_id, content=text))
        [event] = await listener.new_events()
        assert event["flags"] == ["mentioned"]
        assert await flags_of(client, member, message_id) == {"mentioned"}
        assert await ids_read(client, member, ["is", "alerted"]) == []
        assert_success(await edit(client, owner, message_id, content="two penguins, a penguin"))
        assert await flags_of(client, member, message_id) == {"has_alert_word"}
        assert await ids_read(client, member, ["is", "mentioned"]) == []

    async def test_response_lists_files_no_longer_linked(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        first, second = [await upload(client, owner, name=name) for name in ("a.txt", "b.txt")]
        message_id = await send_direct(client, owner, member, content=f"[a]({first})")
        response = assert_success(await edit(client, owner, message_id, content=f"[b]({second})"))
        [detached] = response["detached_uploads"]
        assert first.endswith(detached["path_id"])
        assert not await is_open_to(client, member, first)
        assert await is_open_to(client, member, second)


class TestRefusals:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "named"),
        [
            ({}, "Nothing to change"),
            ({"content": "a", "stream_id": 1}, "content"),
            ({"propagate_mode": "change_all", "content": "a"}, "propagate_mode"),
            ({"propagate_mode": "change_some", "topic": "a"}, "propagate_mode"),
            ({"content": "a\0b"}, "content"),
            ({"content": "a" * 10_001}, "content"),
            ({"prev_content_sha256": "abc", "content": "a"}, "prev_content_sha256"),
            ({"topic": "a" * 61}, "topic"),
            ({"stream_id": "general"}, "stream_id"),
        ],
    )
    async def test_bad_input_is_named(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        params: dict[str, object],
        named: str,
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, channel, content="hello")
        assert named in assert_error(await edit(client, owner, message_id, **params))
        assert (await show(client, owner, message_id))["content"] == "<p>hello</p>"

    @pytest.mark.any_database
    async def test_messages_of_others(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        message_id = await send(client, member, channel)
        assert "permission" in assert_error(await edit(client, owner, message_id, content="x"))

    @pytest.mark.any_database
    async def test_where_the_sender_may_no_longer_write(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        realm: RealmRecord,
    ) -> None:
        channel = await make_channel(subscribers=[owner, member])
        message_id = await send(client, member, channel)
        group = {"can_send_message_group": {"new": realm.system_groups[SystemGroup.ADMINISTRATORS]}}
        assert_success(await client.patch(f"/streams/{channel.id}", owner, **group))
        refused = assert_error(await edit(client, member, message_id, content="x"))
        assert "Not authorized to send" in refused

    @pytest.mark.any_database
    async def test_hidden_messages(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner], invite_only=True)
        secret = await send(client, owner, channel)
        refused = assert_error(await edit(client, member, secret, content="x"))
        assert refused == assert_error(await edit(client, member, 10**15, content="x"))

    async def test_text_changed_concurrently(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member, content="first")
        expected = hashlib.sha256(b"first").hexdigest()
        assert_success(
            await edit(client, owner, message_id, content="second", prev_content_sha256=expected)
        )
        refused = await edit(
            client, owner, message_id, content="third", prev_content_sha256=expected
        )
        assert_error(refused, "EXPECTATION_MISMATCH")

    @pytest.mark.any_database
    async def test_after_the_time_limit(
        self, client: ApiClient, owner: Person, member: Person, clock: MovableClock
    ) -> None:
        limit = {"message_content_edit_limit_seconds": 60}
        assert_success(await client.patch("/realm", owner, **limit))
        message_id = await send_direct(client, member, owner)
        clock.advance(seconds=90)
        assert "time limit" in assert_error(await edit(client, member, message_id, content="x"))

    @pytest.mark.any_database
    async def test_with_editing_disabled(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, member, owner)
        assert_success(await client.patch("/realm", owner, allow_message_editing=False))
        assert "turned off" in assert_error(await edit(client, member, message_id, content="x"))

    @pytest.mark.any_database
    async def test_channel_mention_without_permission(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        make_user: MakeUser,
    ) -> None:
        crowd = [await make_user() for _ in range(15)]
        channel = await make_channel(subscribers=[owner, member, *crowd])
        message_id = await send(client, member, channel)
        refused = await edit(client, member, message_id, content="@**all** hello")
        assert_error(refused, "STREAM_WILDCARD_MENTION_NOT_ALLOWED")
