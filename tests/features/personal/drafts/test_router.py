"""GET and POST /drafts, PATCH and DELETE /drafts/{draft_id}, and their effects."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import unix_seconds
from chatapi.core.system_groups import SystemGroup
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import unsubscribe
from tests.features.personal.drafts.drafting import add_drafts, draft, drafts_of
from tests.features.realm.settings import allow
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


class TestDrafts:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, member: Person) -> None:
        assert_error(await client.get("/drafts"), "UNAUTHORIZED", 401)
        assert_error(await client.post("/drafts", drafts=[draft()]), "UNAUTHORIZED", 401)
        [draft_id] = await add_drafts(client, member, draft())
        for response in (
            await client.patch(f"/drafts/{draft_id}", draft=draft()),
            await client.delete(f"/drafts/{draft_id}"),
        ):
            assert_error(response, "UNAUTHORIZED", 401)

    async def test_are_private_and_synchronized_to_all_clients(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        listener = await listen(client, member, event_types=["drafts"])
        outside = await listen(client, owner, event_types=["drafts"])
        assert listener.state["drafts"] == []
        ids = await add_drafts(client, member, draft("one"), draft("two"))
        now = unix_seconds(clock.now())
        kept = [
            {**draft(content), "id": draft_id, "timestamp": now}
            for draft_id, content in zip(ids, ("one", "two"), strict=True)
        ]
        [event] = await listener.new_events()
        assert event == {"id": event["id"], "type": "drafts", "op": "add", "drafts": kept}
        assert await drafts_of(client, member) == kept
        assert (await listen(client, member)).state["drafts"] == kept
        assert await drafts_of(client, owner) == []
        assert await outside.new_events() == []

    async def test_are_ordered_by_when_they_were_edited(
        self, client: ApiClient, member: Person
    ) -> None:
        await add_drafts(client, member, draft("new", timestamp=2000), draft("old", timestamp=1000))
        kept = [(each["content"], each["timestamp"]) for each in await drafts_of(client, member)]
        assert kept == [("old", 1000), ("new", 2000)]

    async def test_for_a_channel_and_for_direct_messages(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[member])
        people = [owner.user_id, member.user_id]
        await add_drafts(
            client,
            member,
            draft(type="stream", to=[channel.id], topic="lunch", timestamp=1),
            draft(type="stream", to=[channel.id], timestamp=2),
            draft(type="private", to=[*people, owner.user_id], topic="not looked at", timestamp=3),
            draft(type="private", timestamp=4),
            draft(to=[4711], topic="x" * 61, timestamp=5),
        )
        kept = [
            (each["type"], each["to"], each["topic"]) for each in await drafts_of(client, member)
        ]
        assert kept == [
            ("stream", [channel.id], "lunch"),
            ("stream", [channel.id], ""),
            ("private", people, ""),
            ("private", [], ""),
            ("", [], ""),
        ]

    @pytest.mark.any_database
    async def test_none_at_all(self, client: ApiClient, member: Person) -> None:
        listener = await listen(client, member, event_types=["drafts"])
        assert await add_drafts(client, member) == []
        assert await listener.new_events() == []

    async def test_number_is_limited(self, client: ApiClient, member: Person) -> None:
        await add_drafts(client, member, *(draft(str(number)) for number in range(499)))
        refused = await client.post("/drafts", member, drafts=[draft(), draft()])
        assert assert_error(refused) == "Too many drafts (maximum 500)"
        await add_drafts(client, member, draft())
        assert len(await drafts_of(client, member)) == 500


@pytest.mark.any_database
class TestRefusals:
    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"type": "stream", "to": []}, "to: Must specify exactly 1 channel ID"),
            ({"type": "stream", "to": [1, 2]}, "to: Must specify exactly 1 channel ID"),
            ({"type": "stream", "to": [4711]}, "Invalid channel ID"),
            ({"type": "private", "to": [4711]}, "Invalid user ID: 4711"),
            ({"type": "channel"}, '["type"]'),
            ({"type": None}, '["type"]'),
            ({"to": "general"}, '["to"] is not a list'),
            ({"to": ["1"]}, '["to"][0] is not an integer'),
            ({"to": [2**63]}, '["to"][0] is too large'),
            ({"to": [1] * 1_001}, '["to"] has too many entries (limit: 1000)'),
            ({"topic": None}, '["topic"] is not a string'),
            ({"topic": "a\0b"}, "must not contain NUL"),
            ({"content": 7}, '["content"] is not a string'),
            ({"content": "a\0b"}, "must not contain NUL"),
            ({"content": "x" * 10_001}, '["content"] is too long (limit: 10000 characters)'),
            ({"timestamp": "now"}, '["timestamp"]'),
            ({"timestamp": -1}, '["timestamp"] is too small'),
            ({"timestamp": 10**12}, '["timestamp"] is too large'),
            ({"colour": "red"}, '["colour"] is not a known key'),
        ],
    )
    async def test_change_nothing(
        self, client: ApiClient, member: Person, wrong: dict[str, Any], message: str
    ) -> None:
        [draft_id] = await add_drafts(client, member, draft("before"))
        kept = await drafts_of(client, member)
        listener = await listen(client, member, event_types=["drafts"])
        added = await client.post("/drafts", member, drafts=[draft(), draft(**wrong)])
        assert message in assert_error(added)
        edited = await client.patch(f"/drafts/{draft_id}", member, draft=draft(**wrong))
        assert message in assert_error(edited)
        assert await drafts_of(client, member) == kept
        assert await listener.new_events() == []

    @pytest.mark.parametrize("key", ["type", "to", "topic", "content"])
    async def test_of_incomplete_drafts(self, client: ApiClient, member: Person, key: str) -> None:
        incomplete = draft()
        del incomplete[key]
        refused = assert_error(await client.post("/drafts", member, drafts=[incomplete]))
        assert key in refused

    async def test_of_long_topics(
        self, client: ApiClient, make_channel: MakeChannel, member: Person
    ) -> None:
        channel = await make_channel(subscribers=[member])
        wrong = draft(type="stream", to=[channel.id], topic="x" * 61)
        refused = await client.post("/drafts", member, drafts=[wrong])
        assert assert_error(refused) == "topic is too long (limit: 60 characters)"

    async def test_of_deactivated_recipients(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        await deactivate(runtime, realm, member)
        wrong = draft(type="private", to=[member.user_id])
        assert "deactivated" in assert_error(await client.post("/drafts", owner, drafts=[wrong]))


class TestVisibility:
    @pytest.mark.any_database
    async def test_private_channels_are_unknown(
        self, client: ApiClient, make_channel: MakeChannel, member: Person
    ) -> None:
        channel = await make_channel(invite_only=True)
        responses = [
            await client.post("/drafts", member, drafts=[draft(type="stream", to=[channel_id])])
            for channel_id in (channel.id, 4711)
        ]
        assert [assert_error(response) for response in responses] == ["Invalid channel ID"] * 2

    @pytest.mark.any_database
    async def test_invisible_users_are_unknown(
        self, client: ApiClient, realm: RealmRecord, owner: Person, guest: Person, member: Person
    ) -> None:
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
        wrong = draft(type="private", to=[member.user_id])
        refused = await client.post("/drafts", guest, drafts=[wrong])
        assert assert_error(refused) == f"Invalid user ID: {member.user_id}"

    @pytest.mark.any_database
    async def test_other_realms_are_unknown(
        self, app: ChatApp, runtime: Runtime, member: Person
    ) -> None:
        client = ApiClient(app, "acme.localhost")
        other = await factories.make_realm(runtime, "Other")
        stranger = await factories.make_user(runtime, other)
        channel = await factories.make_channel(runtime, other, stranger)
        for kind, number in (("stream", channel.id), ("private", stranger.user_id)):
            wrong = draft(type=kind, to=[number])
            assert_error(await client.post("/drafts", member, drafts=[wrong]))

    @pytest.mark.any_database
    async def test_draft_gives_no_access_to_its_channel(
        self, client: ApiClient, make_channel: MakeChannel, make_user: MakeUser, member: Person
    ) -> None:
        channel = await make_channel(invite_only=True, subscribers=[member])
        await add_drafts(client, member, draft(type="stream", to=[channel.id], topic="x"))
        assert_success(await unsubscribe(client, member, channel.name))
        assert_error(await client.get(f"/streams/{channel.id}", member))

    async def test_draft_to_a_lost_channel_can_be_edited_but_not_restored(
        self, client: ApiClient, make_channel: MakeChannel, member: Person
    ) -> None:
        channel = await make_channel(invite_only=True, subscribers=[member])
        written = draft(type="stream", to=[channel.id], topic="x")
        [draft_id] = await add_drafts(client, member, written)
        assert_success(await unsubscribe(client, member, channel.name))
        edited = {**written, "content": "Still mine", "topic": "y"}
        assert_success(await client.patch(f"/drafts/{draft_id}", member, draft=edited))
        [kept] = await drafts_of(client, member)
        assert (kept["to"], kept["content"], kept["topic"]) == ([channel.id], "Still mine", "y")
        assert_success(await client.patch(f"/drafts/{draft_id}", member, draft=draft()))
        back = await client.patch(f"/drafts/{draft_id}", member, draft=written)
        assert assert_error(back) == "Invalid channel ID"


class TestEdit:
    async def test_emits_an_event(
        self, client: ApiClient, clock: MovableClock, owner: Person, member: Person
    ) -> None:
        [draft_id] = await add_drafts(client, member, draft("before", timestamp=1000))
        listener = await listen(client, member, event_types=["drafts"])
        outside = await listen(client, owner, event_types=["drafts"])
        clock.advance(minutes=5)
        assert (
            assert_success(
                await client.patch(f"/drafts/{draft_id}", member, draft=draft("after", id=7))
            )
            == {}
        )
        now = {**draft("after"), "id": draft_id, "timestamp": unix_seconds(clock.now())}
        [event] = await listener.new_events()
        assert event == {"id": event["id"], "type": "drafts", "op": "update", "draft": now}
        assert await drafts_of(client, member) == [now]
        assert await outside.new_events() == []

    async def test_keeps_the_timestamp_of_the_client(
        self, client: ApiClient, member: Person
    ) -> None:
        [draft_id] = await add_drafts(client, member, draft())
        edited = draft("after", timestamp=1595479020)
        assert_success(await client.patch(f"/drafts/{draft_id}", member, draft=edited))
        assert [each["timestamp"] for each in await drafts_of(client, member)] == [1595479020]

    @pytest.mark.any_database
    async def test_drafts_of_others_are_unknown(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        [draft_id] = await add_drafts(client, owner, draft("mine"))
        for number in (draft_id, 4711):
            path = f"/drafts/{number}"
            refused = await client.patch(path, member, draft=draft("theirs"))
            assert assert_error(refused) == "Draft does not exist"
            assert assert_error(await client.delete(path, member)) == "Draft does not exist"
        assert [each["content"] for each in await drafts_of(client, owner)] == ["mine"]


class TestDelete:
    async def test_emits_an_event(self, client: ApiClient, member: Person) -> None:
        first, second = await add_drafts(client, member, draft("one"), draft("two"))
        listener = await listen(client, member, event_types=["drafts"])
        assert assert_success(await client.delete(f"/drafts/{first}", member)) == {}
        [event] = await listener.new_events()
        assert event == {"id": event["id"], "type": "drafts", "op": "remove", "draft_id": first}
        assert [each["id"] for each in await drafts_of(client, member)] == [second]
        assert_error(await client.delete(f"/drafts/{first}", member))


class TestDisabled:
    async def test_requests_are_refused_and_drafts_are_deleted(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        [draft_id] = await add_drafts(client, member, draft())
        await add_drafts(client, owner, draft())
        listener = await listen(client, member, event_types=["drafts"])
        off = await client.patch("/settings", member, enable_drafts_synchronization=False)
        assert_success(off)
        for response in (
            await client.get("/drafts", member),
            await client.post("/drafts", member, drafts=[draft()]),
            await client.patch(f"/drafts/{draft_id}", member, draft=draft()),
            await client.delete(f"/drafts/{draft_id}", member),
        ):
            assert assert_error(response) == "User has disabled synchronizing drafts."
        assert (await listen(client, member)).state["drafts"] == []
        # Drafts that clients store themselves are not affected.
        assert await listener.new_events() == []
        on = await client.patch("/settings", member, enable_drafts_synchronization=True)
        assert_success(on)
        assert await drafts_of(client, member) == []
        assert len(await drafts_of(client, owner)) == 1
