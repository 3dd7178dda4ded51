"""Restricted guests receive events when users become visible or invisible to them."""

import asyncio
from copy import deepcopy
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.channel_cache.records import ChannelRecord
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.events import collection
from chatapi.features.channels import user_visibility_diff
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import kinds, subscribe, unsubscribe
from tests.features.groups.groups import add_group
from tests.features.messages.fetch.conversations import send_direct
from tests.features.realm.settings import allow
from tests.features.users.presence.pinging import here, ping
from tests.model.client_view import apply_event, begin, differences, differing_presence
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success
from tests.support.statements import statements_under_lock
from tests.support.waiting import until_polls_wait

_QUIETLY = {"send_new_subscription_messages": False}
_ABLE: dict[str, object] = {
    "include_subscribers": "true",
    "slim_presence": True,
    "client_capabilities": {
        "notification_settings_null": True,
        "archived_channels": True,
        "include_deactivated_groups": True,
        "empty_topic_name": True,
        "user_avatar_url_field_optional": True,
        "simplified_presence_events": True,
    },
}


@pytest.fixture
async def friend(make_user: MakeUser) -> Person:
    return await make_user(full_name="Friend")


@pytest.fixture
async def square(
    client: ApiClient, realm: RealmRecord, owner: Person, guest: Person, make_channel: MakeChannel
) -> ChannelRecord:
    """A channel in which the guest is alone, in a realm of restricted guests."""
    await allow(client, owner, realm, can_access_all_users_group=SystemGroup.MEMBERS)
    return await make_channel("square", subscribers=[guest])


async def compare(listener: Listener, events: list[dict[str, Any]]) -> None:
    """The state of a client that applied all events equals that of a new one."""
    user_id = int(listener.person.user_id)
    view = begin(deepcopy(listener.state), user_id)
    for event in events:
        apply_event(view, event)
    fresh = await listen(listener.client, listener.person, **_ABLE)
    new = begin(fresh.state, user_id)
    assert {**differences(view, new), **differing_presence(view, new)} == {}


def added(events: list[dict[str, Any]]) -> list[int]:
    found = [each for each in events if each["type"] == "realm_user" and each["op"] == "add"]
    return [each["person"]["user_id"] for each in found]


def removed(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [each for each in events if each["type"] == "realm_user" and each["op"] == "remove"]
    return [each["person"] for each in found]


class TestChannels:
    @pytest.mark.any_database
    async def test_user_who_joins_is_added_before_the_event_that_they_joined(
        self, client: ApiClient, square: ChannelRecord, guest: Person, friend: Person
    ) -> None:
        listener = await listen(client, guest, **_ABLE)
        assert_success(await subscribe(client, friend, "square"))
        events = await listener.new_events()
        assert kinds(events) == [
            "realm_user/add",
            "user_group/add_members",
            "subscription/peer_add",
        ]
        person = events[0]["person"]
        assert person["full_name"] == "Friend"
        assert person["profile_data"] == {}
        await compare(listener, events)

    async def test_user_who_leaves_is_removed_after_the_event_that_they_left(
        self, client: ApiClient, square: ChannelRecord, guest: Person, friend: Person
    ) -> None:
        assert_success(await subscribe(client, friend, "square"))
        listener = await listen(client, guest, **_ABLE)
        assert_success(await unsubscribe(client, friend, "square"))
        events = await listener.new_events()
        assert kinds(events) == [
            "subscription/peer_remove",
            "user_group/remove_members",
            "realm_user/remove",
        ]
        assert events[0]["user_ids"] == [friend.user_id]
        assert removed(events) == [{"user_id": friend.user_id, "full_name": "Unknown user"}]
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_guest_who_is_subscribed_gets_the_users_of_the_channel(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
        make_channel: MakeChannel,
    ) -> None:
        await make_channel("team", subscribers=[owner, friend], invite_only=True)
        listener = await listen(client, guest, **_ABLE)
        principals = {"principals": [guest.user_id], **_QUIETLY}
        assert_success(await subscribe(client, owner, "team", **principals))
        events = await listener.new_events()
        assert sorted(added(events)) == sorted([owner.user_id, friend.user_id])
        listed = [each["user_ids"] for each in events if each.get("op") == "peer_add"]
        assert friend.user_id not in [user_id for user_ids in listed for user_id in user_ids]
        assert kinds(events).index("stream/create") > kinds(events).index("realm_user/add")
        await compare(listener, events)
        assert_success(await unsubscribe(client, guest, "team"))
        events += await listener.new_events()
        assert len(removed(events)) == 2
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_user_shared_with_two_channels_is_added_and_removed_once(
        self,
        client: ApiClient,
        square: ChannelRecord,
        guest: Person,
        friend: Person,
        make_channel: MakeChannel,
    ) -> None:
        await make_channel("park", subscribers=[guest])
        listener = await listen(client, guest, **_ABLE)
        for change, name in (
            (subscribe, "square"),
            (subscribe, "park"),
            (unsubscribe, "square"),
            (unsubscribe, "park"),
        ):
            assert_success(await change(client, friend, name))
        events = await listener.new_events()
        # The first polls come late: what was so only in between is not told.
        assert added(events) == []
        assert [each["user_id"] for each in removed(events)] == [friend.user_id]
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_late_client_gets_nothing_from_before_users_became_visible(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
    ) -> None:
        listener = await listen(client, guest, **_ABLE)
        await add_group(client, owner, [friend])
        assert_success(await client.patch("/settings", friend, full_name="Renamed"))
        assert_success(await client.post("/users/me/status", friend, status_text="busy"))
        assert_success(await subscribe(client, friend, "square"))
        events = await listener.new_events()
        about_friend = [each for each in kinds(events) if each != "user_group/add"]
        assert about_friend[0] == "realm_user/add"
        assert about_friend.count("user_status") == 1
        assert [each["group"]["members"] for each in events if "group" in each] == [[]]
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_late_client_gets_nothing_about_users_who_are_not_visible_any_more(
        self, client: ApiClient, square: ChannelRecord, guest: Person, friend: Person
    ) -> None:
        assert_success(await subscribe(client, friend, "square"))
        listener = await listen(client, guest, **_ABLE)
        assert_success(await client.patch("/settings", friend, full_name="Secret Name"))
        assert_success(await client.post("/users/me/status", friend, status_text="secret"))
        assert_success(await unsubscribe(client, friend, "square"))
        assert_success(await client.patch("/settings", friend, full_name="Secret Again"))
        events = await listener.new_events()
        assert "ecret" not in str(events)
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_status_of_a_user_who_is_not_visible_any_more_is_removed(
        self, client: ApiClient, square: ChannelRecord, guest: Person, friend: Person
    ) -> None:
        assert_success(await subscribe(client, friend, "square"))
        assert_success(await client.post("/users/me/status", friend, status_text="busy"))
        listener = await listen(client, guest, **_ABLE)
        assert_success(await unsubscribe(client, friend, "square"))
        events = await listener.new_events()
        [status] = [each for each in events if each["type"] == "user_status"]
        assert (status["user_id"], status["status_text"]) == (friend.user_id, "")
        # While the client still knows the user.
        assert kinds(events).index("user_status") < kinds(events).index("realm_user/remove")

    @pytest.mark.any_database
    async def test_user_who_returns_is_added_as_they_are_then(
        self, client: ApiClient, square: ChannelRecord, owner: Person, guest: Person, friend: Person
    ) -> None:
        assert_success(await subscribe(client, friend, "square"))
        group_id = await add_group(client, owner, [friend])
        listener = await listen(client, guest, **_ABLE)
        assert_success(await unsubscribe(client, friend, "square"))
        members = f"/user_groups/{group_id}/members"
        assert_success(await client.post(members, owner, delete=[friend.user_id]))
        assert_success(await client.patch("/settings", friend, full_name="Back"))
        assert_success(await subscribe(client, friend, "square"))
        events = await listener.new_events()
        assert added(events) == [friend.user_id]
        await compare(listener, events)

    async def test_another_process_delivers_the_same_events_page_by_page(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
        start_app: StartApp,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        listener = await listen(client, guest, **_ABLE)
        group_id = await add_group(client, owner)
        members = f"/user_groups/{group_id}/members"
        assert_success(await client.post(members, owner, add=[friend.user_id]))
        assert_success(await client.patch("/settings", friend, full_name="Renamed"))
        assert_success(await client.post(members, owner, delete=[friend.user_id]))
        assert_success(await subscribe(client, friend, "square"))
        monkeypatch.setattr(collection, "_LOG_PAGE", 2)
        elsewhere = Listener(ApiClient(await start_app()), guest, listener.state)
        there = await elsewhere.new_events()
        await elsewhere.client.aclose()
        assert there == await listener.new_events()
        assert added(there) == [friend.user_id]
        assert "user_group/remove_members" not in kinds(there)
        await compare(listener, there)

    async def test_waiting_poll_gets_the_user(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        square: ChannelRecord,
        guest: Person,
        friend: Person,
    ) -> None:
        listener = await listen(client, guest, **_ABLE)
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(runtime, realm)
        assert_success(await subscribe(client, friend, "square"))
        events = await poll
        events += await listener.new_events()
        assert added(events) == [friend.user_id]
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_subscribers_of_web_public_channels_are_listed_when_visible(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
        make_channel: MakeChannel,
    ) -> None:
        assert_success(await client.patch("/realm", owner, enable_spectator_access=True))
        window = await make_channel("window", is_web_public=True, subscribers=[friend])
        listener = await listen(client, guest, **_ABLE)
        assert_success(await subscribe(client, owner, "window"))
        assert await listener.new_events() == []
        assert_success(await subscribe(client, friend, "square"))
        events = await listener.new_events()
        shown = [each for each in events if each.get("op") == "peer_add"]
        assert [(each["stream_ids"], each["user_ids"]) for each in shown] == [
            ([window.id], [friend.user_id]),
            ([square.id], [friend.user_id]),
        ]
        await compare(listener, events)
        assert_success(await unsubscribe(client, friend, "square"))
        events += await listener.new_events()
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_deactivated_user_is_added_as_such(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
        make_channel: MakeChannel,
    ) -> None:
        await make_channel("team", subscribers=[owner, friend], invite_only=True)
        assert_success(await client.patch("/realm", owner, enable_spectator_access=True))
        await make_channel("window", is_web_public=True, subscribers=[friend])
        await ping(client, friend)
        assert_success(await client.delete(f"/users/{friend.user_id}", owner))
        listener = await listen(client, guest, **_ABLE)
        principals = {"principals": [guest.user_id], **_QUIETLY}
        assert_success(await subscribe(client, owner, "team", **principals))
        events = await listener.new_events()
        assert sorted(added(events)) == sorted([owner.user_id, friend.user_id])
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_new_member_of_a_default_channel_is_added(
        self, client: ApiClient, square: ChannelRecord, owner: Person, guest: Person
    ) -> None:
        assert_success(await client.post("/default_streams", owner, stream_id=square.id))
        listener = await listen(client, guest, **_ABLE)
        new = {"email": "new@example.com", "password": "long enough", "full_name": "New"}
        user_id = assert_success(await client.post("/users", owner, **new))["user_id"]
        events = await listener.new_events()
        assert added(events) == [user_id]
        await compare(listener, events)


class TestPresence:
    @pytest.mark.any_database
    async def test_user_is_added_with_their_presence(
        self,
        client: ApiClient,
        clock: MovableClock,
        square: ChannelRecord,
        guest: Person,
        friend: Person,
    ) -> None:
        await ping(client, friend)
        seen = {str(friend.user_id): here(clock)}
        clock.advance(minutes=10)
        listener = await listen(client, guest, **_ABLE)
        assert listener.state["presences"] == {}
        assert_success(await subscribe(client, friend, "square"))
        events = await listener.new_events()
        assert kinds(events)[:2] == ["realm_user/add", "presence"]
        assert events[1]["presences"] == seen
        await compare(listener, events)
        assert_success(await unsubscribe(client, friend, "square"))
        events += await listener.new_events()
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_sender_of_a_first_message_is_added_with_their_presence(
        self, client: ApiClient, square: ChannelRecord, guest: Person, friend: Person
    ) -> None:
        await ping(client, friend, status="idle")
        listener = await listen(client, guest, **_ABLE)
        await send_direct(client, friend, guest)
        events = await listener.new_events()
        assert kinds(events)[:2] == ["realm_user/add", "presence"]
        await compare(listener, events)

    async def test_client_that_polls_another_process_later_gets_it_from_the_log(
        self,
        client: ApiClient,
        square: ChannelRecord,
        guest: Person,
        friend: Person,
        start_app: StartApp,
    ) -> None:
        await ping(client, friend)
        listener = await listen(client, guest, **_ABLE)
        assert_success(await subscribe(client, friend, "square"))
        elsewhere = Listener(ApiClient(await start_app()), guest, listener.state)
        events = await elsewhere.new_events()
        await elsewhere.client.aclose()
        assert kinds(events).count("presence") == 1
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_client_of_the_older_form_gets_that(
        self, client: ApiClient, square: ChannelRecord, guest: Person, friend: Person
    ) -> None:
        await ping(client, friend)
        listener = await listen(client, guest, event_types=["presence"])
        assert_success(await subscribe(client, friend, "square"))
        [event] = await listener.new_events()
        fresh = await listen(client, guest, fetch_event_types=["presence"])
        shown = fresh.state["presences"][event["email"]]
        assert event["presence"] == {"website": shown["website"]}

    @pytest.mark.any_database
    async def test_only_what_a_new_client_would_get_is_sent(
        self,
        client: ApiClient,
        clock: MovableClock,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
        make_user: MakeUser,
    ) -> None:
        gone, away = await make_user(), await make_user()
        await ping(client, gone)
        clock.advance(days=15)
        for person in (friend, away):
            await ping(client, person)
        assert_success(await client.patch("/settings", away, presence_enabled=False))
        listener = await listen(client, guest, **_ABLE)
        principals = {"principals": [each.user_id for each in (friend, gone, away)]}
        assert_success(await subscribe(client, owner, "square", **principals, **_QUIETLY))
        events = await listener.new_events()
        shown = [each["presences"] for each in events if each["type"] == "presence"]
        assert [list(each) for each in shown] == [[str(friend.user_id)]]
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_organization_without_presence_sends_none(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        friend: Person,
    ) -> None:
        await ping(client, friend)
        assert_success(await client.patch("/realm", owner, presence_disabled=True))
        listener = await listen(client, guest, **_ABLE)
        assert_success(await subscribe(client, friend, "square"))
        events = await listener.new_events()
        assert "presence" not in kinds(events)
        await compare(listener, events)


class TestConversations:
    @pytest.mark.any_database
    async def test_sender_of_the_first_message_is_added_before_it(
        self, client: ApiClient, square: ChannelRecord, guest: Person, friend: Person
    ) -> None:
        listener = await listen(client, guest, **_ABLE)
        await send_direct(client, friend, guest)
        await send_direct(client, friend, guest)
        events = await listener.new_events()
        assert kinds(events) == ["realm_user/add", "user_group/add_members", "message", "message"]
        assert events[2]["message"]["sender_full_name"] == "Friend"
        await compare(listener, events)

    @pytest.mark.any_database
    async def test_all_people_of_a_group_conversation_are_added(
        self, client: ApiClient, square: ChannelRecord, owner: Person, guest: Person, friend: Person
    ) -> None:
        listener = await listen(client, guest, **_ABLE)
        await send_direct(client, friend, guest, owner)
        events = await listener.new_events()
        assert sorted(added(events)) == sorted([owner.user_id, friend.user_id])
        await compare(listener, events)


@pytest.mark.any_database
class TestBots:
    async def test_owner_gets_a_bot_and_loses_it(
        self, client: ApiClient, square: ChannelRecord, owner: Person, guest: Person
    ) -> None:
        bot = {"full_name": "Helper", "short_name": "helper"}
        bot_id = assert_success(await client.post("/bots", owner, **bot))["user_id"]
        listener = await listen(client, guest, **_ABLE)
        changed = await client.patch(f"/bots/{bot_id}", owner, bot_owner_id=guest.user_id)
        assert_success(changed)
        events = await listener.new_events()
        assert added(events) == [bot_id]
        await compare(listener, events)
        changed = await client.patch(f"/bots/{bot_id}", owner, bot_owner_id=owner.user_id)
        assert_success(changed)
        events += await listener.new_events()
        assert [each["user_id"] for each in removed(events)] == [bot_id]
        await compare(listener, events)

    async def test_owner_keeps_a_bot_that_leaves_their_channel(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        make_user: MakeUser,
    ) -> None:
        bot = await make_user(Role.GUEST, bot_owner=guest)
        principals = {"principals": [bot.user_id]}
        assert_success(await subscribe(client, owner, "square", **principals, **_QUIETLY))
        listener = await listen(client, guest, **_ABLE)
        assert_success(await unsubscribe(client, owner, "square", **principals))
        events = await listener.new_events()
        assert removed(events) == []
        assert_success(await client.get(f"/users/{bot.user_id}", guest))
        await compare(listener, events)


class TestLimits:
    async def test_guest_who_gains_too_many_users_at_once_registers_again(
        self,
        client: ApiClient,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(user_visibility_diff, "MAX_PER_GUEST", 2)
        people = [await make_user() for _ in range(3)]
        other = await make_user(role=Role.GUEST)
        await make_channel("crowd", subscribers=[owner, other, *people], invite_only=True)
        listeners = [await listen(client, each, **_ABLE) for each in (guest, other)]
        principals = {"principals": [guest.user_id], **_QUIETLY}
        assert_success(await subscribe(client, owner, "crowd", **principals))
        assert_error(await listeners[0].poll(dont_block=True), "BAD_EVENT_QUEUE_ID")
        assert added(await listeners[1].new_events()) == [guest.user_id]

    async def test_statements_do_not_grow_with_the_users(
        self,
        client: ApiClient,
        runtime: Runtime,
        square: ChannelRecord,
        owner: Person,
        guest: Person,
        make_user: MakeUser,
    ) -> None:
        people = [await make_user() for _ in range(12)]
        costs = []
        for some_people in (people[:2], people[2:]):
            some = {"principals": [person.user_id for person in some_people]}
            with statements_under_lock(runtime.database) as statements:
                assert_success(await subscribe(client, owner, "square", **some, **_QUIETLY))
                assert_success(await unsubscribe(client, owner, "square", **some))
            costs.append(len(statements))
        assert costs[0] >= costs[1]
