"""Visibility of users and channels: restricted guests, and groups named by channels."""

from collections.abc import Iterable

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.ids import QueueId
from chatapi.core.system_groups import SystemGroup
from chatapi.db.session import DatabaseSession
from chatapi.events.queue_rows import QueueRecord, QueueRows
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import names_seen_by, subscribe, unnamed, unsubscribe
from tests.features.groups.groups import GROUPS, add_group, deactivate_group
from tests.features.realm.settings import allow
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success


async def people_seen_by(client: ApiClient, person: Person) -> set[int]:
    """The users that every read returns; all reads must agree."""
    listed = assert_success(await client.get("/users", person))["members"]
    registered = (await listen(client, person, fetch_event_types=["realm_user"])).state
    seen = {user["user_id"] for user in listed}
    assert seen == {user["user_id"] for user in registered["realm_users"]}
    return seen


class TestRestrictedGuests:
    @pytest.fixture(autouse=True)
    async def hide_people(self, client: ApiClient, realm: RealmRecord, owner: Person) -> None:
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)

    @pytest.mark.any_database
    async def test_see_users_of_their_channels(
        self,
        client: ApiClient,
        guest: Person,
        member: Person,
        owner: Person,
        make_channel: MakeChannel,
    ) -> None:
        assert await people_seen_by(client, guest) == {guest.user_id}
        await make_channel("ours", subscribers=[guest, member])
        await make_channel("theirs", subscribers=[owner])
        assert await people_seen_by(client, guest) == {guest.user_id, member.user_id}
        assert_success(await client.get(f"/users/{member.user_id}", guest))
        assert_error(await client.get(f"/users/{owner.user_id}", guest))
        assert_success(await unsubscribe(client, member, "ours"))
        assert await people_seen_by(client, guest) == {guest.user_id}

    @pytest.mark.any_database
    async def test_see_users_who_send_them_direct_messages(
        self, client: ApiClient, guest: Person, member: Person
    ) -> None:
        message = {"type": "direct", "to": [guest.user_id], "content": "Hello"}
        assert_success(await client.post("/messages", member, **message))
        assert await people_seen_by(client, guest) == {guest.user_id, member.user_id}

    async def test_get_events_about_visible_users(
        self,
        client: ApiClient,
        guest: Person,
        member: Person,
        owner: Person,
        make_channel: MakeChannel,
    ) -> None:
        await make_channel("ours", subscribers=[guest, member])
        listener = await listen(client, guest, event_types=["realm_user"])
        for person in (member, owner):
            changed = await client.patch("/settings", person, full_name="Somebody Else")
            assert_success(changed)
        events = [event["person"]["user_id"] for event in await listener.new_events()]
        assert events == [member.user_id]

    async def test_queue_registered_while_the_setting_changes_ends_too(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, guest: Person
    ) -> None:
        listener = await listen(client, guest)
        late = await find_queue(runtime, listener)
        await allow(client, owner, realm, can_access_all_users_group=SystemGroup.EVERYONE)
        await write_queues(runtime, [late])
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")
        assert await (await listen(client, guest)).new_events() == []


async def find_queue(runtime: Runtime, listener: Listener) -> QueueRecord:
    async with DatabaseSession(runtime.database) as db:
        queue = await QueueRows(db).find(QueueId(listener.queue_id))
    assert queue is not None
    return queue


async def write_queues(runtime: Runtime, queues: Iterable[QueueRecord]) -> None:
    async with DatabaseSession(runtime.database) as db:
        for queue in queues:
            await QueueRows(db).add(queue)
        await db.commit()


@pytest.mark.any_database
class TestGroups:
    async def test_private_channel_is_visible_to_the_groups_it_names(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        group_id = await add_group(client, owner)
        await make_channel("secret", invite_only=True, can_subscribe_group=group_id)
        assert await names_seen_by(client, member, include_all=True) == set()
        listener, other = await listen(client, member), await listen(client, await make_user())
        joining = {"add": [member.user_id]}
        assert_success(await client.post(f"{GROUPS}/{group_id}/members", owner, **joining))
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")
        assert_success(await other.poll(dont_block=True))
        assert await names_seen_by(client, member, include_all=True) == {"secret"}

    async def test_adding_a_subgroup_to_a_named_group_makes_the_channel_visible(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        group_id, inner = await add_group(client, owner), await add_group(client, owner, [member])
        await make_channel("secret", invite_only=True, can_subscribe_group=group_id)
        listener = await listen(client, member)
        added = await client.post(f"{GROUPS}/{group_id}/subgroups", owner, add=[inner])
        assert_success(added)
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")
        assert_success(await subscribe(client, member, "secret"))

    async def test_new_group_member_is_mentioned_by_unread_messages(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        group_id, other = await add_group(client, owner), await add_group(client, owner)
        channel = await make_channel("ours", subscribers=[owner, member])
        name = next(
            group["name"]
            for group in (await listen(client, owner)).state["realm_user_groups"]
            if group["id"] == group_id
        )
        message = {"type": "channel", "to": channel.id, "topic": "x", "content": f"@*{name}*"}
        message_id = assert_success(await client.post("/messages", owner, **message))["id"]
        listener = await listen(client, member)
        assert listener.state["unread_msgs"]["mentions"] == []
        joining = {"add": [member.user_id]}
        assert_success(await client.post(f"{GROUPS}/{other}/members", owner, **joining))
        assert_success(await listener.poll(dont_block=True))
        assert_success(await client.post(f"{GROUPS}/{group_id}/members", owner, **joining))
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")
        state = (await listen(client, member)).state
        assert state["unread_msgs"]["mentions"] == [message_id]

    async def test_a_group_that_a_channel_names_stays_active(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        group_id = await add_group(client, owner)
        named = unnamed([owner], [group_id])
        channel = await make_channel(can_send_message_group=named, can_resolve_topics_group=named)
        refused = await client.post(f"{GROUPS}/{group_id}/deactivate", owner)
        objection = {
            "type": "channel",
            "channel_id": channel.id,
            "settings": ["can_resolve_topics_group", "can_send_message_group"],
        }
        assert_error(refused, "CANNOT_DEACTIVATE_GROUP_IN_USE", objections=[objection])
        change = {"new": unnamed([owner])}
        path = f"/streams/{channel.id}"
        changes = {"can_send_message_group": change, "can_resolve_topics_group": change}
        assert_success(await client.patch(path, owner, **changes))
        await deactivate_group(client, owner, group_id)
