"""The state of realm and server in responses of POST /register."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.settings import ChannelPermission, GroupPermission, RealmPermission
from chatapi.wire.realm_settings import RealmSettings
from tests.factories import MakeUser, Person
from tests.features.realm.settings import allow, change_realm
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.realm_settings import set_realm_settings
from tests.support.responses import assert_error


async def realm_state(client: ApiClient, person: Person) -> dict[str, Any]:
    listener = await listen(client, person, fetch_event_types=["realm"])
    return listener.state


@pytest.mark.any_database
class TestRealmState:
    async def test_has_every_setting_of_the_organization(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        await set_realm_settings(
            runtime,
            realm,
            description="We are Acme",
            topics_policy="disable_empty_topic",
            message_edit_history_visibility_policy="none",
        )
        state = await realm_state(client, member)
        assert {f"realm_{name}" for name in RealmSettings.model_fields} <= state.keys()
        assert state["realm_description"] == "We are Acme"
        assert state["realm_mandatory_topics"] is True
        assert state["realm_allow_edit_history"] is False
        assert state["realm_message_retention_days"] == -1

    async def test_identifies_the_realm(
        self, client: ApiClient, realm: RealmRecord, member: Person, clock: MovableClock
    ) -> None:
        state = await realm_state(client, member)
        assert state["realm_name"] == "Acme"
        assert state["realm_url"] == state["realm_uri"] == "http://localhost"
        assert state["realm_uuid"] == realm.uuid
        assert state["realm_bot_domain"] == "acme.localhost"
        now = int(clock.now().timestamp())
        assert state["realm_date_created"] == state["server_generation"] == now

    async def test_announces_limits_and_periods(self, client: ApiClient, member: Person) -> None:
        state = await realm_state(client, member)
        assert state["max_message_length"] == 10_000
        assert state["max_topic_length"] == state["max_stream_name_length"] == 60
        assert state["max_stream_description_length"] == 1024
        assert state["max_channel_folder_name_length"] == 60
        assert state["max_channel_folder_description_length"] == 1024
        assert state["server_typing_started_expiry_period_milliseconds"] == 15_000
        assert state["server_typing_stopped_wait_period_milliseconds"] == 5_000
        assert state["server_typing_started_wait_period_milliseconds"] == 10_000
        assert state["server_presence_ping_interval_seconds"] == 60
        assert state["server_presence_offline_threshold_seconds"] == 140
        assert state["event_queue_longpoll_timeout_seconds"] > 60
        assert state["realm_empty_topic_display_name"] == "general chat"
        assert state["realm_authentication_methods"]["Email"]["enabled"] is True

    async def test_announced_password_limits_hold(self, client: ApiClient, admin: Person) -> None:
        state = await realm_state(client, admin)
        for length in (state["password_min_length"] - 1, state["password_max_length"] + 1):
            response = await client.post(
                "/users", admin, email="iago@example.com", full_name="Iago", password="x" * length
            )
            assert "password is too" in assert_error(response)

    async def test_announces_no_unsupported_feature(
        self, client: ApiClient, member: Person
    ) -> None:
        state = await realm_state(client, member)
        for feature in (
            "realm_push_notifications_enabled",
            "settings_send_digest_emails",
            "server_inline_url_embed_preview",
            "server_can_summarize_topics",
            "realm_send_welcome_emails",
        ):
            assert state[feature] is False

    async def test_is_omitted_when_not_requested(self, client: ApiClient, member: Person) -> None:
        listener = await listen(client, member, fetch_event_types=["user_settings"])
        assert not [key for key in listener.state if key.startswith(("realm_", "server_", "max_"))]


@pytest.mark.any_database
class TestPermissions:
    async def test_has_every_permission_of_the_organization(
        self, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        state = await realm_state(client, member)
        for permission in RealmPermission:
            default = realm.system_groups[permission.setting.default]
            assert state[f"realm_{permission}"] == default

    async def test_says_what_each_setting_accepts(self, client: ApiClient, member: Person) -> None:
        supported = (await realm_state(client, member))["server_supported_permission_settings"]
        assert {kind: set(settings) for kind, settings in supported.items()} == {
            "realm": set(RealmPermission),
            "stream": set(ChannelPermission),
            "group": set(GroupPermission),
        }
        assert supported["realm"]["can_access_all_users_group"] == {
            "require_system_group": True,
            "allow_internet_group": False,
            "allow_nobody_group": False,
            "allow_everyone_group": True,
            "default_group_name": "role:everyone",
            "default_for_system_groups": None,
            "allowed_system_groups": ["role:everyone", "role:members"],
        }
        assert supported["group"]["can_manage_group"] == {
            "require_system_group": False,
            "allow_internet_group": False,
            "allow_nobody_group": True,
            "allow_everyone_group": False,
            "default_group_name": "group_creator",
            "default_for_system_groups": "role:nobody",
            "allowed_system_groups": [],
        }

    @pytest.mark.parametrize(
        ("key", "permission"),
        [
            ("can_create_public_streams", "can_create_public_channel_group"),
            ("can_create_private_streams", "can_create_private_channel_group"),
            ("can_create_web_public_streams", "can_create_web_public_channel_group"),
            ("can_subscribe_other_users", "can_add_subscribers_group"),
            ("can_invite_others_to_realm", "can_invite_users_group"),
        ],
    )
    async def test_contains_the_permissions_of_the_caller(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        make_user: MakeUser,
        key: str,
        permission: str,
    ) -> None:
        moderator, member = await make_user(Role.MODERATOR), await make_user()
        await change_realm(client, owner, enable_spectator_access=True)
        await allow(client, owner, realm, **{permission: SystemGroup.MODERATORS})
        for person, expected in ((moderator, True), (member, False)):
            listener = await listen(client, person, fetch_event_types=["realm_user"])
            assert listener.state[key] is expected

    async def test_web_public_channels_need_spectator_access(
        self, client: ApiClient, owner: Person
    ) -> None:
        listener = await listen(client, owner, fetch_event_types=["realm_user"])
        assert listener.state["can_create_web_public_streams"] is False
        await change_realm(client, owner, enable_spectator_access=True)
        listener = await listen(client, owner, fetch_event_types=["realm_user"])
        assert listener.state["can_create_web_public_streams"] is True
