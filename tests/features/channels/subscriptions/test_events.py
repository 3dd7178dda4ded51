"""Events about subscribing and unsubscribing, and their audiences, on both databases."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import (
    SUBSCRIPTIONS,
    channel_of,
    kinds,
    subscribe,
    told,
    unsubscribe,
)
from tests.security.seeding import add_people
from tests.support.account_changes import change_role, deactivate
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_success


@pytest.fixture
async def everybody(
    owner: Person, admin: Person, member: Person, guest: Person
) -> dict[str, Person]:
    return {"owner": owner, "admin": admin, "member": member, "guest": guest}


class TestCreating:
    @pytest.mark.any_database
    async def test_new_public_channel_is_sent_to_all_but_guests(
        self, client: ApiClient, everybody: dict[str, Person]
    ) -> None:
        listeners = {name: await listen(client, each) for name, each in everybody.items()}
        creator = everybody["member"]
        assert_success(await subscribe(client, creator, "general"))
        events = {name: await told(listener) for name, listener in listeners.items()}
        assert kinds(events["member"]) == ["stream/create", "subscription/add"]
        assert kinds(events["admin"]) == ["stream/create", "subscription/peer_add"]
        assert events["guest"] == []
        (stream,) = events["admin"][0]["streams"]
        assert stream["name"] == "general"
        assert events["admin"][1]["stream_ids"] == [stream["stream_id"]]
        assert events["admin"][1]["user_ids"] == [creator.user_id]

    @pytest.mark.any_database
    async def test_new_private_channel_is_sent_to_administrators_and_subscribers(
        self, client: ApiClient, everybody: dict[str, Person], make_user: MakeUser
    ) -> None:
        outsider = await make_user()
        people = {**everybody, "outsider": outsider}
        listeners = {name: await listen(client, each) for name, each in people.items()}
        principals = [everybody["member"].user_id, everybody["guest"].user_id]
        assert_success(
            await subscribe(
                client, everybody["member"], "secret", invite_only=True, principals=principals
            )
        )
        events = {name: kinds(await told(each)) for name, each in listeners.items()}
        assert events["member"] == ["stream/create", "subscription/add"]
        assert events["guest"] == ["stream/create", "subscription/add"]
        assert events["admin"] == ["stream/create", "subscription/peer_add"]
        assert events["outsider"] == []

    async def test_events_about_many_users_and_channels_have_bounded_size(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        """A single event would block the event loop for long, in every process that reads it."""
        crowd = await add_people(runtime, realm, 30, [])
        listener = await listen(
            client, member, event_types=["subscription"], include_subscribers="true"
        )
        names = [f"channel {number}" for number in range(100)]
        principals = [member.user_id, *crowd]
        assert_success(await subscribe(client, owner, *names, principals=principals))
        events = await told(listener)
        added = [event for event in events if event["op"] == "add"]
        shown = [each for event in added for each in event["subscriptions"]]
        assert [each["name"] for each in shown] == names
        assert all(each["subscribers"] == sorted(principals) for each in shown)
        most = max(len(event["subscriptions"]) for event in added)
        assert most * len(principals) <= 1_000


class TestSubscribing:
    @pytest.mark.any_database
    async def test_new_subscriber_gets_the_whole_channel(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        guest: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("secret", invite_only=True, subscribers=[owner, member])
        newcomer = await listen(client, guest, include_subscribers="true")
        assert_success(await subscribe(client, member, "secret", principals=[guest.user_id]))
        create, add = await told(newcomer)
        shown = await channel_of(client, guest, channel)
        assert create == {"type": "stream", "op": "create", "streams": [shown]}
        (subscription,) = add["subscriptions"]
        own = assert_success(await client.get(SUBSCRIPTIONS, guest, include_subscribers="true"))[
            "subscriptions"
        ]
        assert sorted(own[0]["subscribers"]) == subscription["subscribers"]
        assert {**own[0], "subscribers": subscription["subscribers"]} == subscription
        assert {**shown, **subscription} == subscription

    @pytest.mark.any_database
    async def test_subscribers_are_omitted_for_clients_that_did_not_ask(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general")
        listener = await listen(client, member)
        assert_success(await subscribe(client, member, "general"))
        (add,) = await told(listener)
        assert "subscribers" not in add["subscriptions"][0]

    async def test_subscribed_guest_gets_create_event_of_public_channel_and_member_does_not(
        self,
        client: ApiClient,
        member: Person,
        guest: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        await make_channel("general", subscribers=[member])
        other = await make_user()
        as_guest, as_member = await listen(client, guest), await listen(client, other)
        principals = [guest.user_id, other.user_id]
        assert_success(await subscribe(client, member, "general", principals=principals))
        assert kinds(await told(as_guest)) == ["stream/create", "subscription/add"]
        assert kinds(await told(as_member)) == ["subscription/add"]

    @pytest.mark.any_database
    async def test_each_user_gets_only_the_channels_new_to_them(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("one", subscribers=[member])
        await make_channel("two")
        first, second = await listen(client, member), await listen(client, guest)
        principals = [member.user_id, guest.user_id]
        assert_success(await subscribe(client, member, "one", "two", principals=principals))
        names = {}
        for listener in (first, second):
            (add,) = [event for event in await told(listener) if event["op"] == "add"]
            names[listener.person.user_id] = [each["name"] for each in add["subscriptions"]]
        assert names == {member.user_id: ["two"], guest.user_id: ["one", "two"]}

    @pytest.mark.any_database
    async def test_queue_read_after_unsubscribing_gets_all_events(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        """The guest unsubscribes before polling; events from while they were subscribed come."""
        await make_channel("secret", invite_only=True, subscribers=[member])
        sleeper = await listen(client, guest)
        assert_success(await subscribe(client, member, "secret", principals=[guest.user_id]))
        assert_success(await unsubscribe(client, guest, "secret"))
        assert kinds(await told(sleeper)) == [
            "stream/create",
            "subscription/add",
            "subscription/remove",
            "stream/delete",
        ]


@pytest.mark.any_database
class TestUnsubscribing:
    async def test_public_channel(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general", subscribers=[member])
        leaver, other = await listen(client, member), await listen(client, owner)
        assert_success(await unsubscribe(client, member, "general"))
        assert await told(leaver) == [
            {
                "type": "subscription",
                "op": "remove",
                "subscriptions": [{"stream_id": channel.id, "name": "general"}],
            }
        ]
        assert await told(other) == [
            {
                "type": "subscription",
                "op": "peer_remove",
                "stream_ids": [channel.id],
                "user_ids": [member.user_id],
            }
        ]

    async def test_users_unsubscribed_together_get_peer_events_of_each_other(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        other = await make_user()
        await make_channel("ours", subscribers=[owner, member, other])
        listener = await listen(client, member, include_subscribers="true")
        people = [member.user_id, other.user_id]
        assert_success(await unsubscribe(client, owner, "ours", principals=people))
        events = await told(listener, "subscription")
        assert kinds(events) == ["subscription/remove", "subscription/peer_remove"]
        assert events[1]["user_ids"] == [other.user_id]

    @pytest.mark.parametrize("role", [Role.MEMBER, Role.GUEST])
    async def test_private_channel_is_deleted_for_former_subscribers(
        self,
        client: ApiClient,
        owner: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
        role: Role,
    ) -> None:
        person = await make_user(role)
        channel = await make_channel("secret", invite_only=True, subscribers=[owner, person])
        leaver = await listen(client, person)
        assert_success(await unsubscribe(client, person, "secret"))
        assert kinds(await told(leaver)) == ["subscription/remove", "stream/delete"]
        assert_success(
            await client.patch(f"/streams/{channel.id}", owner, description="Another one")
        )
        assert_success(await unsubscribe(client, owner, "secret"))
        assert await told(leaver) == []

    async def test_private_channel_stays_visible_to_administrators(
        self, client: ApiClient, admin: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("secret", invite_only=True, subscribers=[admin])
        leaver = await listen(client, admin)
        assert_success(await unsubscribe(client, admin, "secret"))
        assert kinds(await told(leaver)) == ["subscription/remove"]


@pytest.mark.any_database
class TestAccounts:
    async def test_deactivated_users_leave_subscriber_lists_until_reactivated(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel("general", subscribers=[owner, member])
        listener = await listen(client, owner)
        await deactivate(runtime, realm, member)
        (removed,) = await told(listener)
        assert (removed["op"], removed["user_ids"]) == ("peer_remove", [member.user_id])
        assert (await channel_of(client, owner, channel))["subscriber_count"] == 1
        assert_success(await client.post(f"/users/{member.user_id}/reactivate", owner))
        (added,) = await told(listener)
        assert (added["op"], added["user_ids"]) == ("peer_add", [member.user_id])
        assert (await channel_of(client, owner, channel))["subscriber_count"] == 2

    async def test_new_users_are_subscribed_to_default_channels(
        self, client: ApiClient, owner: Person, make_user: MakeUser, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general", is_default_stream=True)
        listener = await listen(client, owner)
        newcomer = await make_user()
        await make_user(Role.GUEST)
        await make_user(bot_owner=owner)
        (added,) = await told(listener)
        assert (added["op"], added["user_ids"]) == ("peer_add", [newcomer.user_id])
        assert (await channel_of(client, owner, channel))["subscriber_count"] == 1

    async def test_a_new_role_shows_and_hides_channels(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        public, kept = await make_channel("public"), await make_channel(subscribers=[member])
        secret = await make_channel("secret", invite_only=True)
        listener = await listen(client, member, event_types=["stream"])
        await change_role(runtime, realm, member, Role.GUEST)
        (lost,) = await told(listener)
        assert (lost["op"], lost["stream_ids"]) == ("delete", [public.id])
        await change_role(runtime, realm, member, Role.ADMIN)
        (gained,) = await told(listener)
        assert gained["op"] == "create"
        assert [each["stream_id"] for each in gained["streams"]] == [public.id, secret.id]
        assert kept.id not in [each["stream_id"] for each in gained["streams"]]
