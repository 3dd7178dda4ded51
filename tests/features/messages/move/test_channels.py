"""PATCH /messages/{message_id} with another channel."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import subscribe, unsubscribe
from tests.features.messages.delete.deleting import delete
from tests.features.messages.edit.editing import edit, listen_to_changes
from tests.features.messages.fetch.conversations import (
    Term,
    ask,
    ids_read,
    mark,
    send,
    show,
    unread_ids,
)
from tests.features.messages.reactions.reacting import react, take_back
from tests.features.realm.settings import allow
from tests.features.uploads.files import is_open_to, upload
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements

QUIETLY = {"send_notification_to_new_thread": False}


class TestMove:
    @pytest.mark.parametrize("is_there", [True, False])
    async def test_message_is_in_the_other_channel(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        is_there: bool,
    ) -> None:
        here, there = [await make_channel(subscribers=[owner, member]) for _ in range(2)]
        moved = [await send(client, owner, here, "topic") for _ in range(2)]
        before = [await send(client, owner, there, "topic")] if is_there else []
        listener = await listen_to_changes(client, member)
        response = await edit(
            client, owner, moved[0], stream_id=there.id, propagate_mode="change_all", **QUIETLY
        )
        assert_success(response)
        assert await ids_read(client, member, ["channel", here.id]) == []
        assert await ids_read(client, member, ["channel", there.id]) == moved + before
        [event] = await listener.new_events()
        assert event["message_ids"] == moved
        assert (event["stream_id"], event["new_stream_id"]) == (here.id, there.id)
        assert (event["orig_subject"], event["subject"]) == ("topic", "topic")
        assert (await show(client, member, moved[0]))["display_recipient"] == there.name

    async def test_read_state_is_kept_for_subscribers_of_both(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        here, there = [await make_channel(subscribers=[owner, member]) for _ in range(2)]
        moved = [await send(client, owner, here, "topic") for _ in range(3)]
        await send(client, owner, there, "topic")
        await mark(client, member, moved[1])
        before = await unread_ids(client, member)
        params = {"stream_id": there.id, "propagate_mode": "change_all"}
        assert_success(await edit(client, owner, moved[0], **params, **QUIETLY))
        assert await unread_ids(client, member) == before

    async def test_messages_are_not_compared_with_readers_whose_position_stays(
        self,
        client: ApiClient,
        runtime: Runtime,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
    ) -> None:
        """The cost of a move is not messages times readers."""
        here, there = [await make_channel(subscribers=[owner, member]) for _ in range(2)]
        moved = [await send(client, owner, here, "topic") for _ in range(3)]
        await mark(client, member, moved[0])
        params = {"stream_id": there.id, "propagate_mode": "change_all"}
        with recorded_statements(runtime.database, "INSERT INTO read_exception") as compared:
            assert_success(await edit(client, owner, moved[0], **params, **QUIETLY))
        assert compared == []
        assert await unread_ids(client, member) == set(moved[1:])

    async def test_is_read_for_users_not_subscribed_to_the_source(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        here = await make_channel(subscribers=[owner])
        there = await make_channel(subscribers=[owner, member])
        moved = [await send(client, owner, here, "topic") for _ in range(2)]
        own = await send(client, owner, there, "topic")
        params = {"stream_id": there.id, "propagate_mode": "change_all"}
        assert_success(await edit(client, owner, moved[0], **params, **QUIETLY))
        assert await unread_ids(client, member) == {own}
        again = await send(client, owner, here, "other")
        assert_success(await edit(client, owner, again, stream_id=there.id, **QUIETLY))
        assert await unread_ids(client, member) == {own}

    async def test_is_read_for_users_not_subscribed_to_the_target(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        here = await make_channel(subscribers=[owner, member])
        there = await make_channel(subscribers=[owner])
        message_id = await send(client, owner, here, "topic")
        await mark(client, member, message_id)
        await mark(client, member, message_id, op="remove")
        assert_success(await edit(client, owner, message_id, stream_id=there.id, **QUIETLY))
        assert_success(await subscribe(client, member, there.name))
        assert await unread_ids(client, member) == set()

    async def test_files_follow(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        here = await make_channel(subscribers=[owner], invite_only=True)
        there = await make_channel(subscribers=[owner, member], invite_only=True)
        url = await upload(client, owner)
        message_id = await send(client, owner, here, content=f"[file]({url})")
        assert not await is_open_to(client, member, url)
        assert_success(await edit(client, owner, message_id, stream_id=there.id))
        assert await is_open_to(client, member, url)


class TestPrivacy:
    async def test_user_without_access_to_the_target_gets_a_deletion(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        here = await make_channel(subscribers=[owner, member])
        secret = await make_channel(subscribers=[owner], invite_only=True)
        message_id = await send(client, owner, here, "topic")
        listener = await listen_to_changes(client, member)
        told = {"send_notification_to_old_thread": True}
        assert_success(await edit(client, owner, message_id, stream_id=secret.id, **told))
        [event] = await listener.new_events()
        assert (event["type"], event["message_id"]) == ("delete_message", message_id)
        assert_error(await client.get(f"/messages/{message_id}", member))
        [notice] = await ids_read(client, member, ["channel", here.id])
        assert await unread_ids(client, member) == {notice}
        assert secret.name not in (await show(client, member, notice))["content"]

    async def test_user_without_access_to_the_target_cannot_use_the_message(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        here = await make_channel(subscribers=[owner, member])
        secret = await make_channel(subscribers=[owner], invite_only=True)
        message_id = await send(client, member, here, content="walrus")
        await mark(client, member, message_id, flag="starred")
        assert_success(await react(client, member, message_id))
        assert_success(await edit(client, owner, message_id, stream_id=secret.id))
        assert_error(await edit(client, member, message_id, content="x"))
        assert_error(await edit(client, member, message_id, topic="x"))
        assert_error(await react(client, member, message_id, emoji_name="tada"))
        assert_error(await take_back(client, member, message_id))
        assert_error(await client.delete(f"/messages/{message_id}", member))
        assert_error(await client.get(f"/messages/{message_id}/read_receipts", member))
        assert_error(await client.get(f"/messages/{message_id}/history", member))
        flags = {"messages": [message_id], "op": "remove", "flag": "starred"}
        assert_error(await client.post("/messages/flags", member, **flags))
        terms: list[Term] = [["is", "starred"], ["search", "walrus"], ["sender", member.user_id]]
        for term in terms:
            assert await ids_read(client, member, term) == []
        matches = {"msg_ids": [message_id], "narrow": []}
        response = await client.get("/messages/matches_narrow", member, **matches)
        assert assert_success(response)["messages"] == {}

    async def test_hidden_source_is_not_revealed(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        secret = await make_channel(subscribers=[owner], invite_only=True)
        there = await make_channel(subscribers=[owner, member])
        message_id = await send(client, owner, secret, "plot")
        listener = await listen_to_changes(client, member)
        response = await edit(client, owner, message_id, stream_id=there.id, topic="topic")
        assert_success(response)
        assert await listener.new_events() == []
        [_, notice] = await ids_read(client, member, ["channel", there.id])
        assert "plot" not in (await show(client, member, notice))["content"]
        shown = await show(client, member, message_id)
        [step] = shown["edit_history"]
        assert "prev_topic" not in step
        assert "prev_stream" not in step
        [step] = (await show(client, owner, message_id))["edit_history"]
        assert (step["prev_topic"], step["prev_stream"]) == ("plot", secret.id)

    async def test_move_from_a_hidden_channel_is_not_emitted_to_readers_of_the_target(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        """Nor if the channel's history is not protected, so that only its audience hides it."""
        secret = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=True
        )
        there = await make_channel(subscribers=[owner, member])
        message_id = await send(client, owner, secret, "plot")
        listener = await listen_to_changes(client, member)
        assert_success(await edit(client, owner, message_id, stream_id=there.id, topic="topic"))
        assert await listener.new_events() == []

    async def test_protected_history_hides_messages_moved_outside_the_subscription_period(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        member: Person,
    ) -> None:
        late, gone = await make_user(), await make_user()
        here = await make_channel(subscribers=[owner])
        there = await make_channel(
            subscribers=[owner, member, gone],
            invite_only=True,
            history_public_to_subscribers=False,
        )
        message_id = await send(client, owner, here, "topic")
        assert_success(await unsubscribe(client, gone, there.name))
        assert_success(await edit(client, owner, message_id, stream_id=there.id, **QUIETLY))
        people = [late.user_id, gone.user_id]
        assert_success(await subscribe(client, owner, there.name, principals=people))
        narrow = ["channel", there.id]
        assert await ids_read(client, member, narrow) == [message_id]
        for reader in (late, gone):
            assert await ids_read(client, reader, narrow) == []
            assert message_id not in await ids_read(client, reader)
            assert_error(await client.get(f"/messages/{message_id}", reader))

    @pytest.mark.parametrize("way", ["deleted", "moved"])
    async def test_only_subscribers_at_the_time_of_the_move_get_its_deletion(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        make_user: MakeUser,
        owner: Person,
        member: Person,
        way: str,
    ) -> None:
        late = await make_user()
        here, secret = [await make_channel(subscribers=[owner], invite_only=True) for _ in range(2)]
        there = await make_channel(
            subscribers=[owner, member], invite_only=True, history_public_to_subscribers=False
        )
        message_id = await send(client, owner, here, "topic")
        assert_success(await edit(client, owner, message_id, stream_id=there.id, **QUIETLY))
        assert_success(await subscribe(client, owner, there.name, principals=[late.user_id]))
        listeners = [await listen_to_changes(client, person) for person in (member, late)]
        if way == "deleted":
            assert_success(await delete(client, owner, message_id))
        else:
            assert_success(await edit(client, owner, message_id, stream_id=secret.id))
        told = [await listener.new_events() for listener in listeners]
        assert [[event["message_id"] for event in events] for events in told] == [[message_id], []]

    async def test_only_messages_visible_to_the_caller_are_moved(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        there = await make_channel(subscribers=[owner, member])
        here = await make_channel(
            subscribers=[owner], invite_only=True, history_public_to_subscribers=False
        )
        hidden = await send(client, owner, here, "topic")
        assert_success(await subscribe(client, owner, here.name, principals=[member.user_id]))
        seen = await send(client, owner, here, "topic")
        params = {"stream_id": there.id, "propagate_mode": "change_all"}
        assert_success(await edit(client, member, seen, **params, **QUIETLY))
        assert await ids_read(client, owner, ["channel", here.id]) == [hidden]
        assert await ids_read(client, owner, ["channel", there.id]) == [seen]


class TestPermissions:
    async def test_target_needs_the_permission_to_send(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        here = await make_channel(subscribers=[owner, member])
        secret = await make_channel(subscribers=[owner], invite_only=True)
        message_id = await send(client, member, here)
        refused = await edit(client, member, message_id, stream_id=secret.id)
        assert_error(refused, "STREAM_DOES_NOT_EXIST", stream_id=secret.id)
        assert_error(
            await edit(client, member, message_id, stream_id=10**9),
            "STREAM_DOES_NOT_EXIST",
            stream_id=10**9,
        )
        assert len((await ask(client, member, ["channel", here.id]))["messages"]) == 1

    async def test_permission_comes_from_realm_or_channel(
        self,
        client: ApiClient,
        make_channel: MakeChannel,
        owner: Person,
        member: Person,
        realm: RealmRecord,
    ) -> None:
        here, there = [await make_channel(subscribers=[owner, member]) for _ in range(2)]
        message_id = await send(client, owner, here)
        nobody = SystemGroup.NOBODY
        await allow(client, owner, realm, can_move_messages_between_channels_group=nobody)
        refused = await edit(client, member, message_id, stream_id=there.id)
        assert "permission" in assert_error(refused)
        group = {
            "can_move_messages_out_of_channel_group": {
                "new": realm.system_groups[SystemGroup.MEMBERS]
            }
        }
        assert_success(await client.patch(f"/streams/{here.id}", owner, **group))
        assert_success(await edit(client, member, message_id, stream_id=there.id))
