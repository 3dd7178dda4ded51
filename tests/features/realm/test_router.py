"""PATCH /realm, on both databases."""

from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import Realm
from chatapi.db.session import DatabaseSession
from chatapi.features.realm.rules import OWNER_ONLY
from chatapi.main import ChatApp
from chatapi.permissions.settings import PermissionSetting, RealmPermission
from chatapi.wire.realm_settings import RealmSettings
from tests import factories
from tests.factories import MakeChannel, MakeUser, Person
from tests.features.realm.settings import allow, change_realm, setting_seen_by
from tests.support.account_changes import deactivate
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success

DEFAULTS = RealmSettings().model_dump()
OTHERS = {
    "description": "We are Acme",
    "default_language": "de",
    "welcome_message_custom_text": "Hello",
    "digest_weekday": 0,
    "media_preview_size": 200,
    "topics_policy": "disable_empty_topic",
    "message_retention_days": 30,
    "message_edit_history_visibility_policy": "moves",
    "message_content_edit_limit_seconds": 60,
    "message_content_delete_limit_seconds": 60,
    "move_messages_within_stream_limit_seconds": 60,
    "move_messages_between_streams_limit_seconds": 60,
    "waiting_period_threshold": 3,
    "default_code_block_language": "python",
    "org_type": 10,
    "default_avatar_source": "J",
}
ONLY_ONE_VALUE = {"gif_rating_policy"}
ABOUT_VIDEO_CALLS = {"video_chat_provider", "jitsi_server_url"}
"""Have tests of their own: one needs the other."""
NAMES_A_CHANNEL = {"new_stream_announcements_stream_id", "moderation_request_channel_id"}
TIME_LIMITS = [name for name in OTHERS if name.endswith("_limit_seconds")]


def another_value(name: str) -> Any:
    return OTHERS[name] if name in OTHERS else not DEFAULTS[name]


def setting_of(name: str) -> PermissionSetting:
    return next(each.setting for each in RealmPermission if each == name)


def another_group(realm: RealmRecord, name: str) -> int:
    """A group the setting may name and does not name by default."""
    setting = setting_of(name)
    choices = setting.allowed_system_groups or (SystemGroup.MODERATORS, SystemGroup.FULL_MEMBERS)
    return next(realm.system_groups[group] for group in choices if group != setting.default)


async def stored_settings(runtime: Runtime, realm: RealmRecord) -> dict[str, Any]:
    async with DatabaseSession(runtime.database) as db:
        rows = await db.execute(select(Realm.settings).where(Realm.id == realm.id))
        settings: dict[str, Any] = rows.scalar_one()
    return settings


@pytest.mark.any_database
class TestAccess:
    async def test_anonymous(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await client.patch("/realm", description="Ours"), "UNAUTHORIZED", 401)

    async def test_members_may_not(self, client: ApiClient, member: Person) -> None:
        response = await client.patch("/realm", member, description="Ours")
        assert_error(response, "UNAUTHORIZED_PRINCIPAL")

    @pytest.mark.parametrize("name", sorted(OWNER_ONLY))
    async def test_some_settings_are_for_owners(
        self, client: ApiClient, realm: RealmRecord, owner: Person, admin: Person, name: str
    ) -> None:
        is_permission = name in set(RealmPermission)
        value = {"new": another_group(realm, name)} if is_permission else another_value(name)
        response = await client.patch("/realm", admin, **{name: value, "description": "Ours"})
        assert assert_error(response, "UNAUTHORIZED_PRINCIPAL") == "Must be an organization owner"
        assert await setting_seen_by(client, admin, "description") == ""
        changed = await change_realm(client, owner, **{name: value})
        assert changed == {name: value["new"] if is_permission else value}

    def test_which_settings_are_for_owners(self) -> None:
        assert {
            "message_retention_days",
            "can_manage_all_groups",
            "can_manage_billing_group",
            "create_multiuse_invite_group",
            "can_invite_users_group",
            "can_create_web_public_channel_group",
        } == OWNER_ONLY

    async def test_other_realms_are_not_changed(
        self, app: ChatApp, runtime: Runtime, owner: Person
    ) -> None:
        other = await factories.make_realm(runtime, "Other")
        own = ApiClient(app, "acme.localhost")
        await change_realm(own, owner, description="Ours")
        assert await stored_settings(runtime, other) == {}
        await own.aclose()


@pytest.mark.any_database
class TestPlainSettings:
    @pytest.mark.parametrize(
        "name", sorted(DEFAULTS.keys() - ONLY_ONE_VALUE - ABOUT_VIDEO_CALLS - NAMES_A_CHANNEL)
    )
    async def test_each_can_be_changed_and_put_back(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, name: str
    ) -> None:
        value = another_value(name)
        assert await change_realm(client, owner, **{name: value}) == {name: value}
        assert await setting_seen_by(client, owner, name) == value
        assert await stored_settings(runtime, realm) == {name: value}
        await change_realm(client, owner, **{name: DEFAULTS[name]})
        assert await setting_seen_by(client, owner, name) == DEFAULTS[name]
        assert await stored_settings(runtime, realm) == {}

    @pytest.mark.parametrize("name", sorted(NAMES_A_CHANNEL))
    async def test_channels_must_exist(
        self, client: ApiClient, owner: Person, make_channel: MakeChannel, name: str
    ) -> None:
        channel = await make_channel(subscribers=[owner], invite_only=True)
        assert await change_realm(client, owner, **{name: channel.id}) == {name: channel.id}
        assert await setting_seen_by(client, owner, name) == channel.id
        assert_error(await client.patch("/realm", owner, **{name: 10**6}))
        assert await change_realm(client, owner, **{name: -1}) == {name: -1}
        assert_success(await client.delete(f"/streams/{channel.id}", owner))
        assert_error(await client.patch("/realm", owner, **{name: channel.id}))

    async def test_values_not_passed_are_unchanged(self, client: ApiClient, admin: Person) -> None:
        await change_realm(client, admin, description="We are Acme")
        assert await change_realm(client, admin, invite_required=False) == {
            "invite_required": False
        }
        assert await setting_seen_by(client, admin, "description") == "We are Acme"

    async def test_unchanged_values_are_not_in_the_response(
        self, client: ApiClient, owner: Person
    ) -> None:
        assert await change_realm(client, owner) == {}
        assert await change_realm(client, owner, **DEFAULTS) == {}

    @pytest.mark.parametrize("name", TIME_LIMITS)
    @pytest.mark.parametrize("unlimited", ['"unlimited"', "null"])
    async def test_time_limits_can_be_lifted(
        self, client: ApiClient, admin: Person, name: str, unlimited: str
    ) -> None:
        assert await change_realm(client, admin, **{name: unlimited}) == {name: None}
        assert await setting_seen_by(client, admin, name) is None

    async def test_messages_can_be_kept_for_ever(self, client: ApiClient, owner: Person) -> None:
        await change_realm(client, owner, message_retention_days=30)
        changed = await change_realm(client, owner, message_retention_days='"unlimited"')
        assert changed == {"message_retention_days": -1}

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("description", "x" * 1001),
            ("default_language", "no language"),
            ("digest_weekday", 7),
            ("topics_policy", "whatever"),
            ("invite_required", '"yes"'),
            ("message_content_edit_limit_seconds", -1),
            ("media_preview_size", 151),
            ("message_retention_days", 0),
            ("message_retention_days", -2),
            ("message_retention_days", 100_001),
            ("message_retention_days", '"realm_default"'),
        ],
    )
    async def test_refuses_invalid_values(
        self, client: ApiClient, admin: Person, name: str, value: object
    ) -> None:
        changes = {"inline_image_preview": False, name: value}
        assert name in assert_error(await client.patch("/realm", admin, **changes))
        assert await setting_seen_by(client, admin, "inline_image_preview") is True

    async def test_reports_parameters_it_does_not_know(
        self, client: ApiClient, admin: Person
    ) -> None:
        response = await client.patch("/realm", admin, no_setting=1)
        assert assert_success(response) == {"ignored_parameters_unsupported": ["no_setting"]}


class TestName:
    async def test_renames(self, client: ApiClient, admin: Person) -> None:
        assert await change_realm(client, admin, name=" Acme & Sons ") == {"name": "Acme & Sons"}
        assert await setting_seen_by(client, admin, "name") == "Acme & Sons"
        described = assert_success(await client.get("/server_settings"))
        assert described["realm_name"] == "Acme & Sons"
        assert await change_realm(client, admin, name="Acme & Sons") == {}

    @pytest.mark.any_database
    @pytest.mark.parametrize("name", ["", "  ", "x" * 41])
    async def test_has_one_to_forty_characters(
        self, client: ApiClient, admin: Person, name: str
    ) -> None:
        assert "name" in assert_error(await client.patch("/realm", admin, name=name))


@pytest.mark.any_database
class TestPermissions:
    @pytest.mark.parametrize("name", [each.value for each in RealmPermission])
    async def test_each_can_be_changed_and_put_back(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, name: str
    ) -> None:
        default = realm.system_groups[setting_of(name).default]
        other = another_group(realm, name)
        assert await setting_seen_by(client, owner, name) == default
        assert await change_realm(client, owner, **{name: {"new": other}}) == {name: other}
        assert await setting_seen_by(client, owner, name) == other
        assert await stored_settings(runtime, realm) == {name: other}
        await change_realm(client, owner, **{name: {"new": default, "old": other}})
        assert await stored_settings(runtime, realm) == {}

    async def test_can_name_users_and_groups(
        self, client: ApiClient, realm: RealmRecord, admin: Person, member: Person
    ) -> None:
        owners = realm.system_groups[SystemGroup.OWNERS]
        value = {"direct_members": [member.user_id, admin.user_id], "direct_subgroups": [owners]}
        shown = {**value, "direct_members": sorted([member.user_id, admin.user_id])}
        assert await change_realm(client, admin, can_create_groups={"new": value}) == {
            "can_create_groups": shown
        }
        assert await setting_seen_by(client, admin, "can_create_groups") == shown
        again = {"new": shown, "old": value}
        assert await change_realm(client, admin, can_create_groups=again) == {}

    async def test_value_must_be_an_object_with_new(
        self, client: ApiClient, realm: RealmRecord, admin: Person
    ) -> None:
        for value in (realm.system_groups[SystemGroup.OWNERS], {"old": 1}, {"new": None}):
            response = await client.patch("/realm", admin, can_create_groups=value)
            assert "can_create_groups" in assert_error(response)

    async def test_outdated_old_value_is_refused(
        self, client: ApiClient, realm: RealmRecord, admin: Person
    ) -> None:
        groups = realm.system_groups
        change = {"new": groups[SystemGroup.MODERATORS], "old": groups[SystemGroup.MEMBERS]}
        await change_realm(client, admin, can_create_groups=change)
        response = await client.patch("/realm", admin, can_create_groups=change, description="Ours")
        assert_error(response, "EXPECTATION_MISMATCH")
        assert await setting_seen_by(client, admin, "description") == ""

    @pytest.mark.parametrize(
        ("name", "group"),
        [
            (permission.value, group)
            for permission in RealmPermission
            for group in SystemGroup
            if not permission.setting.allows(group)
        ],
    )
    async def test_some_groups_cannot_be_named(
        self,
        client: ApiClient,
        realm: RealmRecord,
        owner: Person,
        name: str,
        group: SystemGroup,
    ) -> None:
        response = await client.patch(
            "/realm", owner, **{name: {"new": realm.system_groups[group]}}
        )
        assert f"'{name}' cannot be set to '{group}' group" in assert_error(response)

    async def test_some_settings_take_system_groups_only(
        self, client: ApiClient, owner: Person
    ) -> None:
        people = {"direct_members": [owner.user_id], "direct_subgroups": []}
        response = await client.patch("/realm", owner, can_access_all_users_group={"new": people})
        assert "must be a system user group" in assert_error(response)

    async def test_refuses_unknown_users_and_groups(
        self,
        app: ChatApp,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        make_user: MakeUser,
    ) -> None:
        gone = await make_user()
        await deactivate(runtime, realm, gone)
        other_realm = await factories.make_realm(runtime, "Other")
        stranger = await factories.make_user(runtime, other_realm)
        own = ApiClient(app, "acme.localhost")
        for value in (
            {"direct_members": [gone.user_id], "direct_subgroups": []},
            {"direct_members": [stranger.user_id], "direct_subgroups": []},
            {"direct_members": [], "direct_subgroups": [999_999]},
            other_realm.system_groups[SystemGroup.MEMBERS],
        ):
            response = await own.patch("/realm", admin, can_create_groups={"new": value})
            assert "can_create_groups: " in assert_error(response)
        await own.aclose()

    async def test_takes_effect_with_the_next_request(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        assert_success(await client.post("/user_groups/create", member, **new_group("one")))
        await allow(client, owner, realm, can_create_groups=SystemGroup.MODERATORS)
        refused = await client.post("/user_groups/create", member, **new_group("two"))
        assert assert_error(refused) == "Insufficient permission"


def new_group(name: str) -> dict[str, object]:
    return {"name": name, "description": "", "members": []}


class TestWaitingPeriod:
    async def test_new_accounts_are_full_members_when_it_is_over_for_them(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        await allow(client, owner, realm, can_create_groups=SystemGroup.FULL_MEMBERS)
        await change_realm(client, owner, waiting_period_threshold=3)
        refused = await client.post("/user_groups/create", member, **new_group("one"))
        assert assert_error(refused) == "Insufficient permission"
        await change_realm(client, owner, waiting_period_threshold=0)
        assert_success(await client.post("/user_groups/create", member, **new_group("one")))


class TestSpectatorAccess:
    async def test_disabling_takes_effect_at_once(self, client: ApiClient, admin: Person) -> None:
        assert_error(await client.get("/users"), "UNAUTHORIZED", 401)
        await change_realm(client, admin, enable_spectator_access=True)
        assert_success(await client.get("/users"))
        await change_realm(client, admin, enable_spectator_access=False)
        assert_error(await client.get("/users"), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_needs_a_server_that_has_web_public_channels(
        self, settings: Settings, start_app: StartApp, admin: Person
    ) -> None:
        closed = settings.model_copy(update={"web_public_streams_enabled": False})
        client = ApiClient(await start_app(settings=closed))
        response = await client.patch("/realm", admin, enable_spectator_access=True)
        assert "enable_spectator_access" in assert_error(response)
        assert await change_realm(client, admin, enable_spectator_access=False) == {}
        await client.aclose()
