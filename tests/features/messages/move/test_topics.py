"""PATCH /messages/{message_id} with another topic."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.ids import MessageId
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, Person
from tests.features.channels.channels import subscribe
from tests.features.messages.delete.deleting import topics_of
from tests.features.messages.edit.editing import edit, listen_to_changes
from tests.features.messages.fetch.conversations import (
    ids_read,
    mark,
    send,
    send_direct,
    show,
    unread_ids,
)
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.statements import recorded_statements

QUIETLY = {"send_notification_to_new_thread": False}


async def send_some(
    client: ApiClient, sender: Person, channel: ChannelRecord, topic: str, count: int = 3
) -> list[MessageId]:
    return [await send(client, sender, channel, topic) for _ in range(count)]


async def in_topic(
    client: ApiClient, reader: Person, channel: ChannelRecord, topic: str
) -> list[MessageId]:
    return await ids_read(client, reader, ["channel", channel.id], ["topic", topic])


@pytest.fixture
async def channel(make_channel: MakeChannel, owner: Person, member: Person) -> ChannelRecord:
    return await make_channel(subscribers=[owner, member])


class TestModes:
    @pytest.mark.parametrize(
        ("mode", "moved"),
        [("change_one", [1]), ("change_later", [1, 2]), ("change_all", [0, 1, 2])],
    )
    @pytest.mark.parametrize("is_there", [True, False])
    async def test_moves_the_requested_messages(
        self,
        client: ApiClient,
        channel: ChannelRecord,
        owner: Person,
        mode: str,
        moved: list[int],
        is_there: bool,
    ) -> None:
        before = await send_some(client, owner, channel, "old")
        there = await send_some(client, owner, channel, "new", 1) if is_there else []
        response = await edit(client, owner, before[1], topic="new", propagate_mode=mode, **QUIETLY)
        assert_success(response)
        expected = [before[place] for place in moved]
        assert await in_topic(client, owner, channel, "new") == expected + there
        left = [each for each in before if each not in expected]
        assert await in_topic(client, owner, channel, "old") == left
        assert set(await topics_of(client, owner, channel)) == ({"old", "new"} if left else {"new"})
        assert (await show(client, owner, before[1]))["subject"] == "new"

    async def test_late_poll_lists_the_messages_renamed_at_that_time(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        other = await send(client, owner, channel, "other")
        renamed = await send_some(client, owner, channel, "old")
        listener = await listen_to_changes(client, member)
        whole = {"propagate_mode": "change_all", **QUIETLY}
        assert_success(await edit(client, owner, renamed[0], topic="new", **whole))
        assert_success(await edit(client, owner, other, topic="new", **QUIETLY))
        told = [event["message_ids"] for event in await listener.new_events()]
        assert told == [renamed, [other]]

    async def test_late_poll_lists_the_messages_read_at_that_time(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        other = await send(client, owner, channel, "other")
        read = await send_some(client, owner, channel, "old")
        flags = {"event_types": ["update_message_flags"], "fetch_event_types": []}
        listener = await listen(client, member, **flags)
        place = {"stream_id": channel.id, "topic_name": "old"}
        assert_success(await client.post("/mark_topic_as_read", member, **place))
        assert_success(await edit(client, owner, other, topic="old", **QUIETLY))
        assert [event["messages"] for event in await listener.new_events()] == [read]
        assert await unread_ids(client, member) == {other}

    async def test_emits_an_event(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        ids = await send_some(client, owner, channel, "old")
        listener = await listen_to_changes(client, member)
        await edit(client, owner, ids[1], topic="new", propagate_mode="change_later", **QUIETLY)
        [event] = await listener.new_events()
        assert event == {
            "id": event["id"],
            "type": "update_message",
            "user_id": owner.user_id,
            "rendering_only": False,
            "message_id": ids[1],
            "message_ids": ids[1:],
            "edit_timestamp": event["edit_timestamp"],
            "stream_id": channel.id,
            "stream_name": channel.name,
            "propagate_mode": "change_later",
            "orig_subject": "old",
            "subject": "new",
            "topic_links": [],
            "flags": [],
        }

    async def test_event_of_a_rename_lists_all_messages(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        ids = await send_some(client, owner, channel, "old")
        listener = await listen_to_changes(client, member)
        await edit(client, owner, ids[1], topic="new", propagate_mode="change_all", **QUIETLY)
        [event] = await listener.new_events()
        assert (event["message_id"], event["message_ids"]) == (ids[1], ids)

    async def test_renaming_costs_the_same_for_many_messages(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, runtime: Runtime
    ) -> None:
        few = await send_some(client, owner, channel, "few", 2)
        many = await send_some(client, owner, channel, "many", 40)
        counts = []
        # The first one finds more in the caches than later ones.
        for message_id, topic in ((few[1], "z"), (few[0], "a"), (many[0], "b")):
            with recorded_statements(runtime.database, "message") as statements:
                response = await edit(
                    client, owner, message_id, topic=topic, propagate_mode="change_all"
                )
                assert_success(response)
            counts.append(len(statements))
            assert not any("UPDATE message SET" in each for each in statements)
        assert counts[1] == counts[2]

    async def test_new_messages_go_to_the_renamed_topic(
        self, client: ApiClient, channel: ChannelRecord, owner: Person
    ) -> None:
        first = await send(client, owner, channel, "old")
        await edit(client, owner, first, topic="new", propagate_mode="change_all", **QUIETLY)
        anew = await send(client, owner, channel, "old")
        there = await send(client, owner, channel, "NEW")
        assert await in_topic(client, owner, channel, "old") == [anew]
        assert await in_topic(client, owner, channel, "new") == [first, there]

    async def test_change_of_case_needs_the_whole_topic(
        self, client: ApiClient, channel: ChannelRecord, owner: Person
    ) -> None:
        ids = await send_some(client, owner, channel, "lunch")
        assert_success(await edit(client, owner, ids[0], topic="Lunch", **QUIETLY))
        assert (await show(client, owner, ids[0]))["subject"] == "lunch"
        await edit(client, owner, ids[0], topic="Lunch", propagate_mode="change_all", **QUIETLY)
        assert {(await show(client, owner, each))["subject"] for each in ids} == {"Lunch"}

    async def test_the_empty_topic(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        [message_id] = await send_some(client, owner, channel, "old", 1)
        old_client = await listen_to_changes(client, member)
        new_client = await listen_to_changes(
            client, member, client_capabilities={"empty_topic_name": True}
        )
        assert_success(await edit(client, owner, message_id, topic="(no topic)", **QUIETLY))
        [shown] = await old_client.new_events()
        assert shown["subject"] == "general chat"
        [shown] = await new_client.new_events()
        assert shown["subject"] == ""


class TestReadState:
    @pytest.mark.parametrize("mode", ["change_one", "change_later", "change_all"])
    @pytest.mark.parametrize("has_read", ["nothing", "old", "new", "both", "part"])
    async def test_is_unchanged_by_a_move(
        self,
        client: ApiClient,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        mode: str,
        has_read: str,
    ) -> None:
        old, new = [], []
        for _ in range(3):
            old.append(await send(client, owner, channel, "old"))
            new.append(await send(client, owner, channel, "new"))
        read = {
            "nothing": [],
            "old": old,
            "new": new,
            "both": old + new,
            "part": [old[0], new[0], old[2]],
        }[has_read]
        if has_read in {"old", "new"}:
            params = {"stream_id": channel.id, "topic_name": has_read}
            assert_success(await client.post("/mark_topic_as_read", member, **params))
        elif read:
            await mark(client, member, *read)
        before = await unread_ids(client, member)
        assert before == {*old, *new} - set(read)
        await edit(client, owner, old[1], topic="new", propagate_mode=mode, **QUIETLY)
        assert await unread_ids(client, member) == before
        params = {"stream_id": channel.id, "topic_name": "new"}
        assert_success(await client.post("/mark_topic_as_read", member, **params))
        left = await unread_ids(client, member)
        assert left == before & set(await in_topic(client, member, channel, "old"))


class TestNotices:
    async def test_notices_in_old_and_new_topic(
        self, client: ApiClient, channel: ChannelRecord, owner: Person
    ) -> None:
        ids = await send_some(client, owner, channel, "old")
        response = await edit(
            client,
            owner,
            ids[1],
            topic="new",
            propagate_mode="change_later",
            send_notification_to_old_thread=True,
        )
        assert_success(response)
        [*_, old_notice] = await in_topic(client, owner, channel, "old")
        [*_, new_notice] = await in_topic(client, owner, channel, "new")
        assert "moved 2 messages to" in (await show(client, owner, old_notice))["content"]
        assert "moved 2 messages here from" in (await show(client, owner, new_notice))["content"]

    async def test_a_whole_topic(
        self, client: ApiClient, channel: ChannelRecord, owner: Person
    ) -> None:
        [message_id] = await send_some(client, owner, channel, "old", 1)
        told = {"send_notification_to_old_thread": True}
        assert_success(await edit(client, owner, message_id, topic="new", **told))
        [notice] = await in_topic(client, owner, channel, "old")
        assert "moved this topic to" in (await show(client, owner, notice))["content"]
        assert len(await in_topic(client, owner, channel, "new")) == 2

    async def test_resolved_and_unresolved_topic(
        self, client: ApiClient, channel: ChannelRecord, owner: Person
    ) -> None:
        ids = await send_some(client, owner, channel, "lunch")
        for topic, state in (("✔ lunch", "as resolved"), ("lunch", "as unresolved")):
            response = await edit(client, owner, ids[0], topic=topic, propagate_mode="change_all")
            assert_success(response)
            [*_, notice] = await in_topic(client, owner, channel, topic)
            assert state in (await show(client, owner, notice))["content"]
            resolved = await ids_read(client, owner, ["is", "resolved"])
            assert bool(resolved) is (state == "as resolved")


class TestPolicies:
    async def test_go_with_the_topic(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        ids = await send_some(client, owner, channel, "old")
        chosen = {"stream_id": channel.id, "topic": "old", "visibility_policy": 3}
        assert_success(await client.post("/user_topics", member, **chosen))
        await edit(client, owner, ids[0], topic="new", propagate_mode="change_all", **QUIETLY)
        assert await ids_read(client, member, ["is", "followed"]) == ids
        anew = await send(client, owner, channel, "old")
        assert anew not in await ids_read(client, member, ["is", "followed"])

    async def test_stay_with_a_partly_moved_topic(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        ids = await send_some(client, owner, channel, "old")
        chosen = {"stream_id": channel.id, "topic": "old", "visibility_policy": 3}
        assert_success(await client.post("/user_topics", member, **chosen))
        await edit(client, owner, ids[1], topic="new", propagate_mode="change_later", **QUIETLY)
        assert await ids_read(client, member, ["is", "followed"]) == ids[:1]

    async def test_merged_topics_get_the_more_visible_policy(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        old = await send_some(client, owner, channel, "old", 1)
        new = await send_some(client, owner, channel, "new", 1)
        for topic, policy in (("old", 3), ("new", 1)):
            chosen = {"stream_id": channel.id, "topic": topic, "visibility_policy": policy}
            assert_success(await client.post("/user_topics", member, **chosen))
        assert_success(await edit(client, owner, old[0], topic="new", **QUIETLY))
        assert await ids_read(client, member, ["is", "followed"]) == old + new


class TestPermissions:
    async def test_direct_messages_stay(
        self, client: ApiClient, channel: ChannelRecord, owner: Person, member: Person
    ) -> None:
        message_id = await send_direct(client, owner, member)
        assert "topic" in assert_error(await edit(client, owner, message_id, topic="x"))
        refused = await edit(client, owner, message_id, stream_id=channel.id)
        assert "stream_id" in assert_error(refused)

    async def test_permission_comes_from_realm_or_channel(
        self,
        client: ApiClient,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        realm: RealmRecord,
    ) -> None:
        nobody, everyone = (
            realm.system_groups[name] for name in (SystemGroup.NOBODY, SystemGroup.EVERYONE)
        )
        group = {"can_move_messages_between_topics_group": {"new": nobody}}
        assert_success(await client.patch("/realm", owner, **group))
        [message_id] = await send_some(client, owner, channel, "old", 1)
        refused = assert_error(await edit(client, member, message_id, topic="new"))
        assert "permission" in refused
        group = {"can_move_messages_within_channel_group": {"new": everyone}}
        assert_success(await client.patch(f"/streams/{channel.id}", owner, **group))
        assert_success(await edit(client, member, message_id, topic="new"))

    async def test_resolving_has_its_own_permission(
        self,
        client: ApiClient,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        realm: RealmRecord,
    ) -> None:
        nobody = realm.system_groups[SystemGroup.NOBODY]
        group = {"can_move_messages_between_topics_group": {"new": nobody}}
        assert_success(await client.patch("/realm", owner, **group))
        [message_id] = await send_some(client, owner, channel, "old", 1)
        assert_success(await edit(client, member, message_id, topic="✔ old"))
        assert_error(await edit(client, member, message_id, topic="✔ other"))

    async def test_only_moderators_move_old_messages(
        self,
        client: ApiClient,
        channel: ChannelRecord,
        owner: Person,
        member: Person,
        clock: MovableClock,
    ) -> None:
        limit = {"move_messages_within_stream_limit_seconds": 3600}
        assert_success(await client.patch("/realm", owner, **limit))
        old = await send(client, owner, channel, "old")
        clock.advance(hours=2)
        young = await send(client, owner, channel, "old")
        assert "time limit" in assert_error(await edit(client, member, old, topic="new"))
        refused = await edit(client, member, young, topic="new", propagate_mode="change_all")
        assert_error(
            refused,
            "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
            first_message_id_allowed_to_move=young,
            total_messages_allowed_to_move=1,
            total_messages_in_topic=2,
        )
        assert_success(await edit(client, member, young, topic="new", **QUIETLY))
        assert_success(await edit(client, owner, old, topic="new", **QUIETLY))

    async def test_guests_cannot_move_in_unsubscribed_channels(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, guest: Person
    ) -> None:
        channel = await make_channel(subscribers=[owner], is_web_public=True)
        [message_id] = await send_some(client, owner, channel, "old", 1)
        assert "permission" in assert_error(await edit(client, guest, message_id, topic="new"))
        assert_success(await edit(client, guest, message_id, topic="old"))
        assert_success(await subscribe(client, owner, channel.name, principals=[guest.user_id]))
        assert_success(await edit(client, guest, message_id, topic="new"))

    async def test_archived_channels_refuse_moves(
        self, client: ApiClient, channel: ChannelRecord, owner: Person
    ) -> None:
        [message_id] = await send_some(client, owner, channel, "old", 1)
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert_error(await edit(client, owner, message_id, topic="new"))
