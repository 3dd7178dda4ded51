"""Late polls: each event is judged by the reader's role as of that event, on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import EmailVisibility, Role
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import names_seen_by
from tests.features.realm.settings import change_realm
from tests.features.users.people import hide_email
from tests.support.account_changes import change_role
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success


def known_channels(listener: Listener, events: list[dict[str, Any]]) -> set[str]:
    """The channels known to a client that started from the state and applied the events."""
    names = {stream["stream_id"]: stream["name"] for stream in listener.state["streams"]}
    for event in events:
        if event["type"] == "stream" and event["op"] == "create":
            names |= {stream["stream_id"]: stream["name"] for stream in event["streams"]}
        if event["type"] == "stream" and event["op"] == "delete":
            for stream_id in event["stream_ids"]:
                names.pop(stream_id)
    return set(names.values())


@pytest.fixture
async def late(client: ApiClient, member: Person) -> Listener:
    return await listen(client, member)


@pytest.mark.any_database
class TestDemotion:
    async def test_channels_created_before_demotion_are_delivered_and_then_deleted(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        admin = await make_user(Role.ADMIN)
        listener = await listen(client, admin)
        await make_channel("private", invite_only=True)
        await make_channel("public")
        await change_role(runtime, realm, admin, Role.MEMBER)
        await make_channel("hidden", invite_only=True)
        events = await listener.new_events()
        assert known_channels(listener, events) == {"public"}
        assert "hidden" not in str(events)
        # Delivered as of that time, and removed by the change of role.
        kinds = [event["op"] for event in events if event["type"] == "stream"]
        assert kinds == ["create", "create", "delete"]

    async def test_events_for_members_before_demotion_are_delivered_to_the_guest(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
        late: Listener,
    ) -> None:
        channel = await make_channel("public")
        assert_success(await client.post("/default_streams", owner, stream_id=channel.id))
        await change_role(runtime, realm, member, Role.GUEST)
        events = await late.new_events()
        defaults = [each["default_streams"] for each in events if each["type"] == "default_streams"]
        assert defaults == [[channel.id], []]
        assert known_channels(late, events) == set()
        assert await names_seen_by(client, member) == set()

    async def test_queue_ends_when_visible_addresses_change(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        make_user: MakeUser,
    ) -> None:
        admin = await make_user(Role.ADMIN)
        await hide_email(client, member, EmailVisibility.MODERATORS)
        listener = await listen(client, admin, event_types=["realm_user"])
        await change_role(runtime, realm, admin, Role.MODERATOR)
        assert_success(await listener.poll(dont_block=True))
        await change_role(runtime, realm, admin, Role.MEMBER)
        assert_error(await listener.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")


class TestPromotion:
    @pytest.mark.any_database
    async def test_events_hidden_from_the_earlier_role_are_not_delivered_later(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        make_channel: MakeChannel,
        late: Listener,
    ) -> None:
        channel = await make_channel("private", invite_only=True)
        await change_role(runtime, realm, member, Role.ADMIN)
        events = await late.new_events()
        created = [
            each for each in events if (each["type"], each.get("op")) == ("stream", "create")
        ]
        assert len(created) == 1
        assert [stream["stream_id"] for stream in created[0]["streams"]] == [channel.id]
        assert known_channels(late, events) == {"private"}

    async def test_another_process_delivers_the_same_events(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        make_channel: MakeChannel,
        late: Listener,
        start_app: StartApp,
    ) -> None:
        await make_channel("private", invite_only=True)
        await change_role(runtime, realm, member, Role.ADMIN)
        await make_channel("other", invite_only=True)
        elsewhere = Listener(ApiClient(await start_app()), member, late.state)
        here, there = await late.new_events(), await elsewhere.new_events()
        assert here == there != []
        await elsewhere.client.aclose()

    @pytest.mark.any_database
    async def test_emits_subscribers_of_channels_that_become_visible(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("private", subscribers=[owner], invite_only=True)
        listener = await listen(client, member, include_subscribers="true")
        await change_role(runtime, realm, member, Role.ADMIN)
        peers = [
            event
            for event in await listener.new_events()
            if (event["type"], event.get("op")) == ("subscription", "peer_add")
        ]
        assert [(each["stream_ids"], each["user_ids"]) for each in peers] == [
            ([channel.id], [owner.user_id])
        ]


class TestWaitingPeriod:
    async def test_becoming_full_member_ends_queues_if_channels_name_full_members(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
        late: Listener,
    ) -> None:
        await change_realm(client, owner, waiting_period_threshold=10)
        assert_success(await late.poll(dont_block=True))
        full_members = realm.system_groups[SystemGroup.FULL_MEMBERS]
        await make_channel("private", invite_only=True, can_subscribe_group=full_members)
        await change_realm(client, owner, waiting_period_threshold=0)
        assert_error(await late.poll(dont_block=True), "BAD_EVENT_QUEUE_ID")
        assert known_channels(await listen(client, member), []) == {"private"}
