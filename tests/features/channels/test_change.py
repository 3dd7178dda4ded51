"""PATCH and DELETE /streams/{stream_id}: the rules of creation hold for every change."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.channels.channels import (
    KNOWS_ARCHIVED,
    channel_of,
    kinds,
    members_of,
    names_seen_by,
    subscribe,
    told,
    unnamed,
)
from tests.features.realm.settings import allow, change_realm
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


@pytest.mark.any_database
class TestWho:
    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER, Role.GUEST])
    async def test_others_than_administrators_are_refused(
        self, client: ApiClient, make_user: MakeUser, make_channel: MakeChannel, role: Role
    ) -> None:
        person = await make_user(role)
        channel = await make_channel(subscribers=[person])
        path = f"/streams/{channel.id}"
        assert assert_error(await client.patch(path, person, description="x")) == (
            "Insufficient permission"
        )
        assert assert_error(await client.delete(path, person)) == "Insufficient permission"

    async def test_users_named_by_the_channel_are_allowed(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(can_administer_channel_group=unnamed([member]))
        path = f"/streams/{channel.id}"
        assert_success(await client.patch(path, member, description="x"))
        assert_success(await client.delete(path, member))

    async def test_hidden_channel_gives_the_error_of_an_unknown_one(
        self, client: ApiClient, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(invite_only=True)
        for channel_id in (channel.id, 10**6):
            response = await client.patch(f"/streams/{channel_id}", member, description="x")
            assert assert_error(response) == "Invalid channel ID"
            response = await client.delete(f"/streams/{channel_id}", member)
            assert assert_error(response) == "Invalid channel ID"


class TestProperties:
    @pytest.mark.parametrize(
        ("params", "name", "value"),
        [
            ({"new_name": "Plans"}, "name", "Plans"),
            ({"description": "*New*"}, "description", "*New*"),
            ({"message_retention_days": 30}, "message_retention_days", 30),
            ({"message_retention_days": "unlimited"}, "message_retention_days", -1),
            ({"topics_policy": "empty_topic_only"}, "topics_policy", "empty_topic_only"),
            ({"default_push_notifications": True}, "default_push_notifications", True),
        ],
    )
    async def test_each_change_is_stored_and_emitted(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
        params: dict[str, object],
        name: str,
        value: object,
    ) -> None:
        channel = await make_channel("plans")
        listener = await listen(client, member)
        assert_success(await client.patch(f"/streams/{channel.id}", owner, **params))
        assert (await channel_of(client, member, channel))[name] == value
        event: dict[str, Any] = {
            "type": "stream",
            "op": "update",
            "stream_id": channel.id,
            "name": "plans",
            "property": name,
            "value": value,
        }
        if name == "description":
            event["rendered_description"] = "<p><em>New</em></p>"
        assert await told(listener) == [event]

    @pytest.mark.any_database
    async def test_unchanged_value_emits_no_event(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("plans", description="x")
        listener = await listen(client, owner)
        assert_success(
            await client.patch(
                f"/streams/{channel.id}",
                owner,
                new_name="plans",
                description="x",
                is_private=False,
                message_retention_days="realm_default",
                is_archived=False,
            )
        )
        assert await told(listener) == []

    @pytest.mark.any_database
    async def test_request_without_changes_is_an_error(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel()
        assert_error(await client.patch(f"/streams/{channel.id}", owner))

    async def test_names_are_unique_ignoring_case(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        await make_channel("general")
        channel = await make_channel("plans")
        path = f"/streams/{channel.id}"
        assert_error(await client.patch(path, owner, new_name="GENERAL"))
        assert_error(await client.patch(path, owner, new_name=" "))
        assert_success(await client.patch(path, owner, new_name="PLANS"))

    @pytest.mark.any_database
    async def test_freed_name_resolves_to_the_channel_that_has_it_now(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        first = await make_channel("plans")
        find = {"stream": "plans"}
        assert (await client.get("/get_stream_id", owner, **find))["stream_id"] == first.id
        assert_success(await client.patch(f"/streams/{first.id}", owner, new_name="old plans"))
        assert (await client.get("/get_stream_id", owner, stream="old plans"))[
            "stream_id"
        ] == first.id
        assert_error(await client.get("/get_stream_id", owner, **find))
        second = await make_channel("plans")
        assert (await client.get("/get_stream_id", owner, **find))["stream_id"] == second.id

    @pytest.mark.any_database
    async def test_only_owners_change_retention(
        self, client: ApiClient, admin: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel()
        path = f"/streams/{channel.id}"
        response = await client.patch(path, admin, message_retention_days=3)
        assert_error(response, "UNAUTHORIZED_PRINCIPAL")

    @pytest.mark.any_database
    async def test_the_topics_policy_has_its_own_permission(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        await allow(client, owner, realm, can_set_topics_policy_group=SystemGroup.MODERATORS)
        channel = await make_channel(can_administer_channel_group=unnamed([member]))
        path = f"/streams/{channel.id}"
        assert_error(await client.patch(path, member, topics_policy="disable_empty_topic"))
        assert_success(await client.patch(path, owner, topics_policy="disable_empty_topic"))

    async def test_empty_topic_only_policy_needs_all_messages_in_the_empty_topic(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        path = f"/streams/{channel.id}"
        message = {"type": "stream", "to": channel.id, "content": "Hello"}
        assert_success(await client.post("/messages", owner, topic="", **message))
        assert_success(await client.patch(path, owner, topics_policy="empty_topic_only"))
        assert_success(await client.patch(path, owner, topics_policy="inherit"))
        assert_success(await client.post("/messages", owner, topic="news", **message))
        response = await client.patch(path, owner, topics_policy="empty_topic_only")
        assert "topics_policy" in assert_error(response)


class TestKind:
    @pytest.mark.any_database
    async def test_public_to_private_and_back_emits_events_by_visibility(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        make_user: MakeUser,
        make_channel: MakeChannel,
    ) -> None:
        outsider = await make_user()
        channel = await make_channel("plans", subscribers=[owner, member])
        inside, outside = await listen(client, member), await listen(client, outsider)
        path = f"/streams/{channel.id}"
        assert_success(await client.patch(path, owner, is_private=True))
        (update,) = await told(inside)
        assert (update["property"], update["value"]) == ("invite_only", True)
        assert update["history_public_to_subscribers"] is True
        assert update["is_web_public"] is False
        assert kinds(await told(outside)) == ["stream/delete"]
        assert_success(await client.patch(path, owner, description="Only for us"))
        assert await told(outside) == []
        assert_success(await client.patch(path, owner, is_private=False))
        create, peers, updated = await told(outside)
        assert create["streams"] == [await channel_of(client, outsider, channel)]
        assert peers["op"] == "peer_add"
        assert peers["user_ids"] == [owner.user_id, member.user_id]
        assert updated["property"] == "invite_only"

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("permission", "options", "params"),
        [
            ("can_create_public_channel_group", {"invite_only": True}, {"is_private": False}),
            ("can_create_private_channel_group", {}, {"is_private": True}),
        ],
    )
    async def test_needs_the_permission_to_create_such_a_channel(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
        permission: str,
        options: dict[str, object],
        params: dict[str, object],
    ) -> None:
        await allow(client, owner, realm, **{permission: SystemGroup.MODERATORS})
        named = {"can_administer_channel_group": unnamed([member])}
        channel = await make_channel(subscribers=[member, owner], **options, **named)
        path = f"/streams/{channel.id}"
        assert assert_error(await client.patch(path, member, **params)) == (
            "Insufficient permission"
        )
        assert_success(await client.patch(path, owner, **params))

    @pytest.mark.any_database
    async def test_web_public_has_the_same_conditions_as_on_creation(
        self, client: ApiClient, owner: Person, admin: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel()
        path = f"/streams/{channel.id}"
        assert_error(await client.patch(path, owner, is_web_public=True))
        await change_realm(client, owner, enable_spectator_access=True)
        assert_error(await client.patch(path, admin, is_web_public=True))
        assert_error(await client.patch(path, owner, is_web_public=True, is_private=True))
        assert_success(await client.patch(path, owner, is_web_public=True))
        assert (await channel_of(client, admin, channel))["is_web_public"] is True
        assert_success(await client.patch(path, owner, is_private=True))
        assert (await channel_of(client, admin, channel))["is_web_public"] is False

    @pytest.mark.any_database
    async def test_history_is_protected_in_private_channels_only(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(subscribers=[owner])
        path = f"/streams/{channel.id}"
        assert_error(await client.patch(path, owner, history_public_to_subscribers=False))
        params = {"is_private": True, "history_public_to_subscribers": False}
        assert_success(await client.patch(path, owner, **params))
        assert_success(await client.patch(path, owner, is_private=False))
        assert (await channel_of(client, owner, channel))["history_public_to_subscribers"] is True

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "params",
        [
            {"is_private": False},
            {"history_public_to_subscribers": True},
            {"can_add_subscribers_group": "oneself"},
            {"can_subscribe_group": "oneself"},
        ],
    )
    async def test_administrators_cannot_open_channels_they_cannot_read(
        self,
        client: ApiClient,
        admin: Person,
        make_channel: MakeChannel,
        params: dict[str, object],
    ) -> None:
        channel = await make_channel(invite_only=True)
        oneself = {"new": unnamed([admin])}
        asked = {name: oneself if value == "oneself" else value for name, value in params.items()}
        path = f"/streams/{channel.id}"
        assert assert_error(await client.patch(path, admin, **asked)) == "Insufficient permission"
        assert_success(await client.patch(path, admin, description="Looked after"))
        assert_error(await subscribe(client, admin, channel.name))

    async def test_default_channels_stay_public(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel(is_default_stream=True)
        path = f"/streams/{channel.id}"
        assert_error(await client.patch(path, owner, is_private=True))
        assert_success(await client.patch(path, owner, is_private=True, is_default_stream=False))
        assert_error(await client.patch(path, owner, is_default_stream=True))


@pytest.mark.any_database
class TestPermissions:
    async def test_change_is_stored_and_emitted(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel()
        listener = await listen(client, member)
        admins = realm.system_groups[SystemGroup.ADMINISTRATORS]
        everyone = realm.system_groups[SystemGroup.EVERYONE]
        change = {"new": admins, "old": everyone}
        path = f"/streams/{channel.id}"
        assert_success(await client.patch(path, owner, can_send_message_group=change))
        shown = await channel_of(client, member, channel)
        assert shown["can_send_message_group"] == admins
        assert (shown["stream_post_policy"], shown["is_announcement_only"]) == (2, True)
        events = [(event["property"], event["value"]) for event in await told(listener)]
        assert events == [
            ("can_send_message_group", admins),
            ("stream_post_policy", 2),
            ("is_announcement_only", True),
        ]
        again = await client.patch(path, owner, can_send_message_group=change)
        assert_error(again, "EXPECTATION_MISMATCH")

    async def test_private_channel_becomes_visible_to_named_users(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("secret", invite_only=True, subscribers=[owner])
        listener = await listen(client, member)
        path = f"/streams/{channel.id}"
        named = {"new": unnamed([member])}
        assert_success(await client.patch(path, owner, can_subscribe_group=named))
        assert kinds(await told(listener))[0] == "stream/create"
        nobody = {"new": unnamed()}
        assert_success(await client.patch(path, owner, can_subscribe_group=nobody))
        assert kinds(await told(listener)) == ["stream/delete"]

    @pytest.mark.parametrize(
        ("name", "group"),
        [
            ("can_administer_channel_group", SystemGroup.EVERYONE),
            ("can_send_message_group", SystemGroup.INTERNET),
            ("can_add_subscribers_group", SystemGroup.EVERYONE),
        ],
    )
    async def test_disallowed_system_groups_are_refused(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        make_channel: MakeChannel,
        name: str,
        group: SystemGroup,
    ) -> None:
        channel = await make_channel()
        change = {name: {"new": realm.system_groups[group]}}
        assert_error(await client.patch(f"/streams/{channel.id}", owner, **change))

    async def test_setting_who_deletes_messages_needs_permission(
        self,
        client: ApiClient,
        realm: RealmRecord,
        member: Person,
        make_channel: MakeChannel,
    ) -> None:
        channel = await make_channel(can_administer_channel_group=unnamed([member]))
        change = {"new": realm.system_groups[SystemGroup.MEMBERS]}
        path = f"/streams/{channel.id}"
        assert_error(await client.patch(path, member, can_delete_any_message_group=change))
        assert_error(
            await subscribe(client, member, "new", can_delete_any_message_group=change["new"])
        )


class TestArchiving:
    @pytest.mark.any_database
    async def test_clients_get_delete_or_update_event_by_capability(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("old", subscribers=[member], is_default_stream=True)
        older = await listen(client, member)
        newer = await listen(client, member, client_capabilities=KNOWS_ARCHIVED)
        path = f"/streams/{channel.id}"
        assert_success(await client.delete(path, owner))
        assert kinds(await told(older)) == ["stream/delete", "default_streams"]
        update, _defaults = await told(newer)
        assert (update["property"], update["value"]) == ("is_archived", True)
        assert_success(await client.patch(path, owner, is_archived=False))
        create, *_people = await told(older)
        assert create["streams"][0]["stream_id"] == channel.id
        (update,) = await told(newer)
        assert (update["property"], update["value"]) == ("is_archived", False)

    @pytest.mark.any_database
    async def test_archived_channels_are_listed_on_request(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("old", subscribers=[member])
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert await names_seen_by(client, member) == set()
        assert await names_seen_by(client, member, exclude_archived=False) == {"old"}
        older = await listen(client, member)
        assert older.state["streams"] == older.state["subscriptions"] == []
        newer = await listen(client, member, client_capabilities=KNOWS_ARCHIVED)
        assert newer.state["subscriptions"][0]["is_archived"] is True
        assert await members_of(client, owner, channel) == [member.user_id]

    async def test_archived_channel_refuses_other_changes(
        self, client: ApiClient, owner: Person, member: Person, make_channel: MakeChannel
    ) -> None:
        named = {"can_administer_channel_group": unnamed([member])}
        channel = await make_channel("old", **named)
        path = f"/streams/{channel.id}"
        assert_success(await client.patch(path, member, is_archived=True))
        assert_error(await client.patch(path, owner, description="x"))
        assert_error(await client.patch(path, owner, is_archived=True))
        assert_error(await client.delete(path, owner))
        assert_error(await client.post("/default_streams", owner, stream_id=channel.id))
        refused = await client.patch(path, member, is_archived=False)
        assert_error(refused, "UNAUTHORIZED_PRINCIPAL")
        assert_success(await client.patch(path, owner, is_archived=False, description="x"))


@pytest.mark.any_database
async def test_ids_of_other_realms_are_unknown(
    client: ApiClient,
    runtime: Runtime,
    realm: RealmRecord,
    owner: Person,
    make_channel: MakeChannel,
    other_owner: tuple[ApiClient, Person],
) -> None:
    channel = await make_channel("ours", subscribers=[owner])
    there, stranger = other_owner
    for response in (
        await there.get(f"/streams/{channel.id}", stranger),
        await there.get(f"/streams/{channel.id}/members", stranger),
        await there.get(f"/users/me/{channel.id}/topics", stranger),
        await there.patch(f"/streams/{channel.id}", stranger, description="x"),
        await there.delete(f"/streams/{channel.id}", stranger),
        await there.post("/default_streams", stranger, stream_id=channel.id),
        await there.patch(
            f"/users/me/subscriptions/{channel.id}", stranger, property="is_muted", value=True
        ),
    ):
        assert assert_error(response) == "Invalid channel ID"
    assert_error(await subscribe(there, stranger, "x", principals=[owner.user_id]))
