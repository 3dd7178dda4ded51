"""POST /users/me/subscriptions: subscribing oneself and others, creating channels on demand."""

from pathlib import Path

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import (
    SUBSCRIPTIONS,
    channel_of,
    members_of,
    names_seen_by,
    subscribe,
    unnamed,
)
from tests.features.realm.settings import allow, change_realm
from tests.support.account_changes import deactivate
from tests.support.apps import make_settings
from tests.support.client import ApiClient
from tests.support.realm_settings import set_realm_settings
from tests.support.responses import assert_error, assert_success


@pytest.mark.any_database
class TestJoining:
    async def test_members_join_public_channels(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general")
        payload = assert_success(await subscribe(client, member, "General"))
        key = str(member.user_id)
        assert payload["subscribed"] == {key: ["general"]}
        assert payload["already_subscribed"] == {}
        assert await members_of(client, member, channel) == [member.user_id]
        again = assert_success(await subscribe(client, member, "general"))
        assert again["subscribed"] == {}
        assert again["already_subscribed"] == {key: ["general"]}

    async def test_guests_cannot_subscribe_themselves(
        self, client: ApiClient, guest: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general")
        message = assert_error(await subscribe(client, guest, "general"))
        assert message == "Unable to access channel (general)."

    async def test_subscribing_others_without_permission_names_the_reason(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        guest: Person,
        realm: RealmRecord,
        make_channel: MakeChannel,
    ) -> None:
        await make_channel("general")
        await make_channel("secret", invite_only=True)
        await allow(client, owner, realm, can_add_subscribers_group=SystemGroup.ADMINISTRATORS)
        others = {"principals": [guest.user_id]}
        refused = await subscribe(client, member, "general", **others)
        assert assert_error(refused) == "Insufficient permission"
        hidden = await subscribe(client, member, "secret", **others)
        assert assert_error(hidden) == "Unable to access channel (secret)."
        some = {**others, "authorization_errors_fatal": False}
        response = assert_success(await subscribe(client, member, "general", "secret", **some))
        assert sorted(response["unauthorized"]) == ["general", "secret"]

    @pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN, Role.MODERATOR, Role.MEMBER])
    async def test_private_channel_refuses_users_without_permission(
        self, client: ApiClient, make_user: MakeUser, make_channel: MakeChannel, role: Role
    ) -> None:
        await make_channel("secret", invite_only=True)
        person = await make_user(role)
        assert_error(await subscribe(client, person, "secret"))

    @pytest.mark.parametrize("setting", ["can_subscribe_group", "can_add_subscribers_group"])
    async def test_user_named_by_a_private_channel_can_subscribe(
        self, client: ApiClient, member: Person, make_channel: MakeChannel, setting: str
    ) -> None:
        named = {setting: unnamed([member])}
        channel = await make_channel("secret", invite_only=True, **named)
        assert_success(await subscribe(client, member, "secret"))
        assert await members_of(client, member, channel) == [member.user_id]

    async def test_named_guest_cannot_subscribe(
        self, client: ApiClient, guest: Person, make_channel: MakeChannel
    ) -> None:
        named = unnamed([guest])
        await make_channel("secret", invite_only=True, can_subscribe_group=named)
        assert_error(await subscribe(client, guest, "secret"))

    async def test_archived_channels_refuse_subscribers(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("old", subscribers=[owner])
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert "archived" in assert_error(await subscribe(client, member, "old"))
        unsubscribed = await client.delete(SUBSCRIPTIONS, owner, subscriptions=["old"])
        assert "archived" in assert_error(unsubscribed)

    async def test_without_fatal_errors_permitted_channels_are_subscribed(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general")
        await make_channel("secret", invite_only=True)
        response = await subscribe(
            client, member, "general", "secret", authorization_errors_fatal=False
        )
        payload = assert_success(response)
        assert payload["unauthorized"] == ["secret"]
        assert payload["subscribed"] == {str(member.user_id): ["general"]}

    async def test_with_fatal_errors_no_channel_is_subscribed(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general")
        await make_channel("secret", invite_only=True)
        assert_error(await subscribe(client, member, "general", "new", "secret"))
        assert await members_of(client, member, channel) == []
        assert await names_seen_by(client, member) == {"general"}


@pytest.mark.any_database
class TestSubscribingOthers:
    async def test_by_id_and_by_email(
        self, client: ApiClient, member: Person, make_user: MakeUser, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general")
        one, two = await make_user(), await make_user(Role.GUEST)
        assert_success(await subscribe(client, member, "general", principals=[one.user_id]))
        assert_success(await subscribe(client, member, "general", principals=[two.email]))
        assert await members_of(client, member, channel) == [one.user_id, two.user_id]

    async def test_needs_the_permission_of_the_organization_or_of_the_channel(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        guest: Person,
        make_channel: MakeChannel,
    ) -> None:
        await allow(client, owner, realm, can_add_subscribers_group=SystemGroup.MODERATORS)
        await make_channel("general", subscribers=[member])
        await make_channel("ours", can_add_subscribers_group=unnamed([member]))
        others = {"principals": [guest.user_id]}
        assert_error(await subscribe(client, member, "general", **others))
        assert_success(await subscribe(client, member, "ours", **others))

    async def test_creating_a_channel_needs_the_permission_to_add_subscribers(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        guest: Person,
    ) -> None:
        await allow(client, owner, realm, can_add_subscribers_group=SystemGroup.MODERATORS)
        others = {"principals": [guest.user_id]}
        assert_error(await subscribe(client, member, "new", **others))
        response = await client.post(
            "/channels/create", member, name="new", subscribers=[guest.user_id]
        )
        assert_error(response)
        assert await names_seen_by(client, owner) == set()

    async def test_administrator_cannot_subscribe_others_to_unreadable_private_channel(
        self, client: ApiClient, admin: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("secret", invite_only=True)
        assert await channel_of(client, admin, channel)
        others = {"principals": [member.user_id]}
        assert_error(await subscribe(client, admin, "secret", **others))
        both = {"principals": [admin.user_id, member.user_id]}
        assert_error(await subscribe(client, admin, "secret", **both))

    async def test_subscribers_of_a_private_channel_can_add_others(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("secret", invite_only=True, subscribers=[member])
        assert_success(await subscribe(client, member, "secret", principals=[guest.user_id]))
        assert await members_of(client, guest, channel) == [member.user_id, guest.user_id]

    async def test_guests_cannot_subscribe_others(
        self, client: ApiClient, member: Person, guest: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general", subscribers=[guest])
        assert_error(await subscribe(client, guest, "general", principals=[member.user_id]))

    async def test_unknown_and_deactivated_users_are_refused(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        make_user: MakeUser,
    ) -> None:
        gone = await make_user()
        await deactivate(runtime, realm, gone)
        for principals in ([gone.user_id], [gone.email], [10**6], ["nobody@example.com"]):
            assert_error(await subscribe(client, member, "new", principals=principals))
        assert await names_seen_by(client, member) == set()


@pytest.mark.any_database
class TestCreating:
    async def test_creates_channels_that_do_not_exist(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        response = await client.post(
            SUBSCRIPTIONS,
            member,
            subscriptions=[{"name": " plans ", "description": "What *next*?\nThis"}],
            principals=[member.user_id, guest.user_id],
            invite_only=True,
            can_remove_subscribers_group=unnamed([member]),
            topics_policy='"disable_empty_topic"',
            folder_name="work",
        )
        payload = assert_success(response)
        assert payload["ignored_parameters_unsupported"] == ["folder_name"]
        (stream,) = assert_success(await client.get("/streams", member))["streams"]
        assert stream["name"] == "plans"
        assert stream["description"] == "What *next*? This"
        assert stream["rendered_description"] == "<p>What <em>next</em>? This</p>"
        assert stream["creator_id"] == member.user_id
        assert stream["invite_only"] is True
        assert stream["history_public_to_subscribers"] is False
        assert stream["topics_policy"] == "disable_empty_topic"
        assert stream["can_remove_subscribers_group"] == unnamed([member])
        assert stream["can_administer_channel_group"] == unnamed([member])
        assert stream["subscriber_count"] == 2

    async def test_options_do_not_change_existing_channels(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("general", description="Old")
        before = await channel_of(client, member, channel)
        options = {"invite_only": True, "message_retention_days": 3, "is_default_stream": True}
        assert_success(await subscribe(client, member, "general", **options))
        assert await channel_of(client, member, channel) == {**before, "subscriber_count": 1}

    @pytest.mark.parametrize(
        ("permission", "options"),
        [
            ("can_create_public_channel_group", {}),
            ("can_create_private_channel_group", {"invite_only": True}),
            ("can_set_topics_policy_group", {"topics_policy": "allow_empty_topic"}),
        ],
    )
    async def test_needs_the_create_permission_for_the_kind(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        permission: str,
        options: dict[str, object],
    ) -> None:
        await allow(client, owner, realm, **{permission: SystemGroup.MODERATORS})
        assert assert_error(await subscribe(client, member, "new", **options)) == (
            "Insufficient permission"
        )
        assert_success(await subscribe(client, owner, "new", **options))

    async def test_web_public_channel_needs_spectator_access_permission_and_no_invite_only(
        self, client: ApiClient, realm: RealmRecord, owner: Person, admin: Person
    ) -> None:
        options = {"is_web_public": True}
        assert "organization" in assert_error(await subscribe(client, owner, "web", **options))
        await change_realm(client, owner, enable_spectator_access=True)
        assert assert_error(await subscribe(client, admin, "web", **options)) == (
            "Insufficient permission"
        )
        assert_success(await subscribe(client, owner, "web", **options))
        assert_error(await subscribe(client, owner, "odd", invite_only=True, **options))

    async def test_default_channels_are_created_by_administrators_and_public(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        options = {"is_default_stream": True}
        refused = await subscribe(client, member, "new", **options)
        assert_error(refused, "UNAUTHORIZED_PRINCIPAL")
        assert_error(await subscribe(client, admin, "new", invite_only=True, **options))
        assert_success(await subscribe(client, admin, "new", **options))

    async def test_only_owners_set_retention(
        self, client: ApiClient, owner: Person, admin: Person
    ) -> None:
        refused = await subscribe(client, admin, "new", message_retention_days=3)
        assert_error(refused, "UNAUTHORIZED_PRINCIPAL")
        assert_success(await subscribe(client, admin, "a", message_retention_days="realm_default"))
        assert_success(await subscribe(client, owner, "b", message_retention_days="unlimited"))
        assert_success(await subscribe(client, owner, "c", message_retention_days=3))
        response = assert_success(await client.get("/streams", owner))
        days = {each["name"]: each["message_retention_days"] for each in response["streams"]}
        assert days == {"a": None, "b": -1, "c": 3}

    @pytest.mark.parametrize(
        "params",
        [
            {"subscriptions": [{"name": " "}]},
            {"subscriptions": [{"name": "x" * 61}]},
            {"subscriptions": [{"name": "a\nb"}]},
            {"subscriptions": [{"name": "a", "description": "x" * 1025}]},
            {"subscriptions": ["general"]},
            {"subscriptions": [{"name": "a", "color": "red"}]},
            {"subscriptions": [{"name": "a"}], "topics_policy": "whatever"},
            {"subscriptions": [{"name": "a"}], "message_retention_days": "for ever"},
            {"subscriptions": [{"name": "a"}], "message_retention_days": 0},
            {"subscriptions": [{"name": "a"}], "history_public_to_subscribers": False},
            {"subscriptions": [{"name": "a"}], "can_subscribe_group": 10**9},
            {"subscriptions": [{"name": "a"}], "principals": [True]},
        ],
    )
    async def test_bad_input_changes_nothing(
        self, client: ApiClient, owner: Person, params: dict[str, object]
    ) -> None:
        assert_error(await client.post(SUBSCRIPTIONS, owner, **params))
        assert await names_seen_by(client, owner) == set()


class TestLimits:
    """All other writers wait while channels are created, so their number is limited."""

    @pytest.fixture
    def settings(self, database_url: str, tmp_path: Path) -> Settings:
        return make_settings(database_url, tmp_path, channels_per_user=3)

    async def test_more_than_a_hundred_channels_at_once_are_refused(
        self, client: ApiClient, owner: Person
    ) -> None:
        names = [f"channel {number}" for number in range(101)]
        for response in (
            await subscribe(client, owner, *names),
            await client.delete(SUBSCRIPTIONS, owner, subscriptions=names),
        ):
            assert assert_error(response) == "subscriptions has too many entries (limit: 100)"
        assert await names_seen_by(client, owner) == set()

    @pytest.mark.any_database
    async def test_too_many_pairs_of_channels_and_users_are_refused(
        self, client: ApiClient, owner: Person
    ) -> None:
        names = [f"channel {number}" for number in range(100)]
        people = {"principals": list(range(1, 102))}
        for response in (
            await subscribe(client, owner, *names, **people),
            await client.delete(SUBSCRIPTIONS, owner, subscriptions=names, **people),
        ):
            msg = assert_error(response)
            assert msg.startswith("principals has too many entries for so many subscriptions")
        assert await names_seen_by(client, owner) == set()

    @pytest.mark.any_database
    async def test_descriptions_that_are_too_long_together_are_refused(
        self, client: ApiClient, owner: Person
    ) -> None:
        wanted = [{"name": f"channel {number}", "description": "x" * 1024} for number in range(10)]
        msg = assert_error(await client.post(SUBSCRIPTIONS, owner, subscriptions=wanted))
        assert msg.startswith("subscriptions: Descriptions are too long for one request"), msg
        assert await names_seen_by(client, owner) == set()

    async def test_user_and_their_bots_share_a_quota_of_channels(
        self, client: ApiClient, member: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=member)
        assert_success(await subscribe(client, member, "one", "two"))
        assert_success(await subscribe(client, bot, "three"))
        refused = "Too many channels: one person can create 3 of them"
        for person in (member, bot):
            assert assert_error(await subscribe(client, person, "four")) == refused
            created = await client.post("/channels/create", person, name="four", subscribers=[])
            assert assert_error(created) == refused
        assert await names_seen_by(client, member) == {"one", "two", "three"}
        assert_success(await subscribe(client, member, "three"))

    async def test_archived_channels_and_those_of_administrators_do_not_count_towards_quota(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        assert_success(await subscribe(client, owner, "a", "b", "c", "d"))
        assert_success(await subscribe(client, member, "one", "two", "three"))
        found = assert_success(await client.get("/get_stream_id", member, stream="one"))
        assert_success(await client.delete(f"/streams/{found['stream_id']}", owner))
        assert_success(await subscribe(client, member, "four"))
        assert_error(await subscribe(client, member, "five"))


@pytest.mark.any_database
class TestGuests:
    async def test_guest_can_leave_a_web_public_channel_and_join_it_again(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        guest: Person,
        make_channel: MakeChannel,
    ) -> None:
        await set_realm_settings(runtime, realm, enable_spectator_access=True)
        channel = await make_channel("open", subscribers=[guest], is_web_public=True)
        left = await client.delete(SUBSCRIPTIONS, guest, subscriptions=["open"])
        assert assert_success(left)["removed"] == ["open"]
        joined = assert_success(await subscribe(client, guest, "open"))
        assert joined["subscribed"] == {str(guest.user_id): ["open"]}
        own = assert_success(await client.get(SUBSCRIPTIONS, guest))["subscriptions"]
        assert [each["stream_id"] for each in own] == [channel.id]

    async def test_guest_cannot_join_other_channels_or_add_others(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        guest: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        await set_realm_settings(runtime, realm, enable_spectator_access=True)
        await make_channel("inside")
        await make_channel("open", is_web_public=True)
        refused = await subscribe(client, guest, "inside")
        assert assert_error(refused) == "Unable to access channel (inside)."
        refused = await subscribe(client, guest, "open", principals=[member.user_id])
        assert assert_error(refused) == "Insufficient permission"
