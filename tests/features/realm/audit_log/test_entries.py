"""What the entries say about each kind of change, and that they never contain secrets."""

from typing import Any

import pytest
from sqlalchemy import select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.db.models import AuditLogEntry
from tests.factories import MakeChannel, MakeUser, Person
from tests.support.audit import audit_log, last_id
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success

PASSWORD = "correct horse"
NEW_PASSWORD = "battery staple"


async def changes_since(
    client: ApiClient, reader: Person, before: int, *keys: str
) -> list[tuple[Any, ...]]:
    """The chosen keys of the entries since another, the oldest first."""
    entries = await audit_log(client, reader, after_id=before)
    return [tuple(entry[key] for key in keys) for entry in reversed(entries)]


class TestPermissions:
    @pytest.mark.any_database
    async def test_of_the_organization_have_both_values(
        self, client: ApiClient, realm: RealmRecord, owner: Person
    ) -> None:
        before = await last_id(client, owner)
        nobody = realm.system_groups[SystemGroup.NOBODY]
        members = realm.system_groups[SystemGroup.MEMBERS]
        change = {"can_create_bots_group": {"new": nobody}}
        assert_success(await client.patch("/realm", owner, **change))
        assert_success(await client.patch("/realm", owner, **change))
        assert await changes_since(client, owner, before, "property", "old_value", "new_value") == [
            ("can_create_bots_group", members, nobody)
        ]

    async def test_of_a_channel_have_both_values(
        self, client: ApiClient, realm: RealmRecord, owner: Person, make_channel: MakeChannel
    ) -> None:
        channel = await make_channel("lab", subscribers=[owner])
        before = await last_id(client, owner)
        admins = realm.system_groups[SystemGroup.ADMINISTRATORS]
        everyone = realm.system_groups[SystemGroup.EVERYONE]
        assert_success(
            await client.patch(
                f"/streams/{channel.id}",
                owner,
                can_send_message_group={"new": admins},
                is_private=True,
            )
        )
        keys = ("kind", "stream_id", "property", "old_value", "new_value")
        kind = "channel_setting_changed"
        assert await changes_since(client, owner, before, *keys) == [
            (kind, channel.id, "invite_only", False, True),
            (kind, channel.id, "can_send_message_group", everyone, admins),
        ]

    @pytest.mark.any_database
    async def test_of_a_group_have_both_values(
        self, client: ApiClient, realm: RealmRecord, owner: Person
    ) -> None:
        created = await client.post(
            "/user_groups/create", owner, name="a", description="", members=[]
        )
        group_id = assert_success(created)["group_id"]
        before = await last_id(client, owner)
        nobody = realm.system_groups[SystemGroup.NOBODY]
        everyone = realm.system_groups[SystemGroup.EVERYONE]
        change = {"can_mention_group": {"new": nobody}}
        assert_success(await client.patch(f"/user_groups/{group_id}", owner, **change))
        assert_success(await client.post(f"/user_groups/{group_id}/deactivate", owner))
        assert_success(await client.patch(f"/user_groups/{group_id}", owner, deactivated=False))
        keys = ("kind", "group_id", "property", "old_value", "new_value")
        assert await changes_since(client, owner, before, *keys) == [
            ("group_setting_changed", group_id, "can_mention_group", everyone, nobody),
            ("group_deactivated", group_id, None, None, None),
            ("group_reactivated", group_id, None, None, None),
        ]


class TestGroups:
    @pytest.mark.any_database
    async def test_members_are_listed(
        self, client: ApiClient, owner: Person, member: Person, guest: Person
    ) -> None:
        created = await client.post(
            "/user_groups/create", owner, name="a", description="", members=[member.user_id]
        )
        path = f"/user_groups/{assert_success(created)['group_id']}/members"
        before = await last_id(client, owner)
        change = {"add": [guest.user_id], "delete": [member.user_id]}
        assert_success(await client.post(path, owner, **change))
        assert await changes_since(client, owner, before, "kind", "old_value", "new_value") == [
            ("group_members_removed", {"count": 1, "ids": [member.user_id]}, None),
            ("group_members_added", None, {"count": 1, "ids": [guest.user_id]}),
        ]


class TestAccounts:
    @pytest.mark.any_database
    async def test_role_activation_and_address_are_told_without_the_address(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        before = await last_id(client, owner)
        path = f"/users/{member.user_id}"
        assert_success(await client.patch(path, owner, role=int(Role.MODERATOR)))
        assert_success(await client.patch(path, owner, new_email="secret@example.com"))
        assert_success(await client.delete(path, owner))
        assert_success(await client.post(f"{path}/reactivate", owner))
        keys = ("kind", "acting_user_id", "user_id", "old_value", "new_value")
        who = (owner.user_id, member.user_id)
        assert await changes_since(client, owner, before, *keys) == [
            ("user_role_changed", *who, 400, 300),
            ("user_email_changed", *who, None, None),
            ("api_keys_revoked", *who, {"count": 1}, None),
            ("user_deactivated", *who, None, None),
            ("user_reactivated", *who, None, None),
        ]

    @pytest.mark.any_database
    async def test_new_users_and_bots_have_their_role(
        self, client: ApiClient, owner: Person
    ) -> None:
        before = await last_id(client, owner)
        new = {"email": "new@example.com", "full_name": "New", "password": PASSWORD}
        user = assert_success(await client.post("/users", owner, **new))
        bot = assert_success(
            await client.post("/bots", owner, full_name="Bot", short_name="b", bot_type=1)
        )
        keys = ("kind", "user_id", "new_value")
        assert await changes_since(client, owner, before, *keys) == [
            (
                "user_created",
                user["user_id"],
                {"role": 400, "bot_type": None, "bot_owner_id": None},
            ),
            (
                "bot_created",
                bot["user_id"],
                {"role": 400, "bot_type": 1, "bot_owner_id": owner.user_id},
            ),
        ]

    async def test_settings_changed_for_others_name_them(
        self, client: ApiClient, owner: Person, member: Person
    ) -> None:
        before = await last_id(client, owner)
        assert_success(await client.patch("/settings", member, enter_sends=True))
        target = {"user_ids": [member.user_id], "group_ids": [], "skip_if_already_edited": False}
        assert_success(
            await client.patch("/settings", owner, enter_sends=False, target_users=target)
        )
        assert await changes_since(client, owner, before, "property", "new_value") == [
            (
                "enter_sends",
                {"value": False, "users": {"count": 1, "ids": [member.user_id]}},
            )
        ]


class TestKeysAndPasswords:
    async def test_no_entry_contains_a_secret(
        self, client: ApiClient, runtime: Runtime, owner: Person, make_user: MakeUser
    ) -> None:
        """The whole table is searched, columns that no response shows included."""
        iago = await make_user(email="iago@example.com", password=PASSWORD)
        before = await last_id(client, owner)
        login = {"username": iago.email, "password": PASSWORD}
        keys = [
            iago.api_key,
            assert_success(await client.post("/fetch_api_key", None, **login))["api_key"],
        ]
        passwords = {"old_password": PASSWORD, "new_password": NEW_PASSWORD}
        assert_success(await client.patch("/settings", iago, **passwords))
        listed = assert_success(await client.get("/users/me/api_keys", iago))["api_keys"]
        assert_success(await client.delete(f"/users/me/api_keys/{listed[-1]['id']}", iago))
        replaced = await client.post("/users/me/api_key/regenerate", iago)
        keys.append(assert_success(replaced)["api_key"])
        assert await changes_since(client, owner, before, "kind", "acting_user_id", "user_id") == [
            ("login_succeeded", iago.user_id, iago.user_id),
            ("user_password_changed", iago.user_id, iago.user_id),
            ("api_key_revoked", iago.user_id, iago.user_id),
            ("api_keys_revoked", iago.user_id, iago.user_id),
            ("api_key_added", iago.user_id, iago.user_id),
        ]
        async with runtime.reading() as db:
            rows = (await db.execute(select(AuditLogEntry.__table__))).all()
        stored = repr(rows)
        assert "login_succeeded" in stored
        for secret in (*keys, PASSWORD, NEW_PASSWORD, "iago@example.com"):
            assert secret not in stored

    async def test_key_is_named_by_its_number(
        self, client: ApiClient, owner: Person, make_user: MakeUser
    ) -> None:
        iago = await make_user(email="iago@example.com", password=PASSWORD)
        login = {"username": iago.email, "password": PASSWORD}
        assert_success(await client.post("/fetch_api_key", None, **login))
        listed = assert_success(await client.get("/users/me/api_keys", iago))["api_keys"]
        [entry] = await audit_log(client, owner, kind="login_succeeded", user_id=iago.user_id)
        assert entry["new_value"] == {"api_key_id": listed[-1]["id"]}
        assert entry["address"] == "127.0.0.1"


class TestRefusals:
    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("change", "code"),
        [({"role": 600}, "UNAUTHORIZED_PRINCIPAL"), ({"full_name": "x", "role": 7}, "BAD_REQUEST")],
    )
    async def test_leave_no_entry(
        self, client: ApiClient, owner: Person, admin: Person, change: dict[str, Any], code: str
    ) -> None:
        before = await last_id(client, owner)
        assert_error(await client.patch(f"/users/{owner.user_id}", admin, **change), code)
        assert await audit_log(client, owner, after_id=before) == []
