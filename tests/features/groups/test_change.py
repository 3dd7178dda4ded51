"""PATCH /user_groups/{user_group_id}, on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.features.groups.params import ChangeGroupParams, CreateGroupParams
from chatapi.features.groups.payloads import GroupChangePayload, UserGroupPayload
from chatapi.permissions.settings import GroupPermission
from tests.factories import MakeUser, Person
from tests.features.groups.conftest import Elsewhere
from tests.features.groups.groups import GROUPS, add_group, deactivate_group, group_of, ids, unnamed
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success


async def change(client: ApiClient, person: Person, group_id: int, **params: object) -> ApiResponse:
    return await client.patch(f"{GROUPS}/{group_id}", person, **params)


@pytest.mark.parametrize(
    "names",
    [
        CreateGroupParams.model_fields,
        ChangeGroupParams.model_fields,
        UserGroupPayload.__annotations__,
        GroupChangePayload.__annotations__,
    ],
)
def test_every_permission_is_in_parameters_and_responses(names: dict[str, object]) -> None:
    assert {name for name in names if name.startswith("can_")} == set(GroupPermission)


class TestPermissionToChange:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member)
        assert_error(await client.patch(f"{GROUPS}/{group_id}", name="b"), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_managers_and_owners(
        self, client: ApiClient, member: Person, owner: Person, make_user: MakeUser
    ) -> None:
        manager, admin = await make_user(), await make_user(Role.ADMIN)
        managers = await add_group(client, owner, [manager])
        around = await add_group(client, owner, subgroups=[managers])
        group_id = await add_group(client, owner, can_manage_group=around, name="a")
        for person in (member, admin):
            response = await change(client, person, group_id, name="b")
            assert assert_error(response) == "Insufficient permission"
        assert (await group_of(client, member, group_id))["name"] == "a"
        for person in (manager, owner):
            assert_success(await change(client, person, group_id, name=f"of {person.user_id}"))

    @pytest.mark.any_database
    async def test_guests_cannot_even_if_named(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        group_id = await add_group(client, member, can_manage_group=unnamed([guest, member]))
        assert assert_error(await change(client, guest, group_id, name="b")) == (
            "Insufficient permission"
        )

    async def test_bots_can_if_named(
        self, client: ApiClient, member: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=member)
        group_id = await add_group(client, member, can_manage_group=unnamed([bot]))
        assert_success(await change(client, bot, group_id, name="b"))
        assert_error(await change(client, member, group_id, name="c"))

    @pytest.mark.any_database
    async def test_system_groups_cannot_be_changed(
        self, client: ApiClient, realm: RealmRecord, owner: Person
    ) -> None:
        group_id = realm.system_groups[SystemGroup.MEMBERS]
        response = await change(client, owner, group_id, description="b")
        assert assert_error(response) == "Insufficient permission"

    @pytest.mark.any_database
    @pytest.mark.parametrize("group_id", [0, 4711, 2**63 - 1])
    async def test_unknown_group(self, client: ApiClient, owner: Person, group_id: int) -> None:
        assert assert_error(await change(client, owner, group_id, name="b")) == "Invalid user group"

    @pytest.mark.any_database
    async def test_group_of_another_organization(self, elsewhere: Elsewhere, owner: Person) -> None:
        response = await change(elsewhere.here, owner, elsewhere.group_id, name="b")
        assert assert_error(response) == "Invalid user group"


class TestTexts:
    async def test_only_passed_texts_change(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member, [member], name="Old", description="Text")
        before = await group_of(client, member, group_id)
        response = await change(client, member, group_id, name=" New ", extra="x")
        assert assert_success(response) == {"ignored_parameters_unsupported": ["extra"]}
        assert await group_of(client, member, group_id) == {**before, "name": "New"}
        assert_success(await change(client, member, group_id, description=""))
        after = await group_of(client, member, group_id)
        assert after == {**before, "name": "New", "description": ""}

    @pytest.mark.any_database
    async def test_nothing_passed(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member)
        for params in ({}, {"extra": "x"}, {"can_join_group": None}):
            response = await change(client, member, group_id, **params)
            assert assert_error(response) == "No new data supplied"

    @pytest.mark.any_database
    async def test_names(self, client: ApiClient, member: Person) -> None:
        await add_group(client, member, name="Taken")
        group_id = await add_group(client, member, name="Free")
        for name, message in {
            "": "name cannot be empty",
            "@x": "name cannot start with '@'",
            "tAKEN": "User group 'tAKEN' already exists.",
        }.items():
            assert assert_error(await change(client, member, group_id, name=name)) == message
        assert_success(await change(client, member, group_id, name="FREE"))
        assert (await group_of(client, member, group_id))["name"] == "FREE"
        # The old name is free again once it is given up.
        assert_success(await change(client, member, group_id, name="Other"))
        await add_group(client, member, name="free")


class TestPermissions:
    @pytest.mark.any_database
    @pytest.mark.parametrize("name", [each.value for each in GroupPermission])
    async def test_each_can_be_changed(
        self, client: ApiClient, realm: RealmRecord, member: Person, name: str
    ) -> None:
        group_id = await add_group(client, member)
        before = await group_of(client, member, group_id)
        moderators = realm.system_groups[SystemGroup.MODERATORS]
        new = unnamed([member], [moderators])
        response = await change(
            client, member, group_id, **{name: {"new": new, "old": before[name]}}
        )
        assert_success(response)
        assert await group_of(client, member, group_id) == {**before, name: new}

    @pytest.mark.any_database
    async def test_value_must_be_an_object_with_new(
        self, client: ApiClient, member: Person
    ) -> None:
        group_id = await add_group(client, member)
        for value in (group_id, {"old": group_id}, unnamed([member]), {"new": 1, "more": 2}):
            response = await change(client, member, group_id, can_mention_group=value)
            assert "can_mention_group" in assert_error(response)

    async def test_outdated_old_value_is_refused(
        self, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        group_id = await add_group(client, member)
        nobody = realm.system_groups[SystemGroup.NOBODY]
        members = realm.system_groups[SystemGroup.MEMBERS]
        response = await change(
            client,
            member,
            group_id,
            name="never",
            can_join_group={"new": members, "old": members},
        )
        message = assert_error(response, "EXPECTATION_MISMATCH")
        assert message == (
            "can_join_group was changed in the meantime: 'old' is not its current value"
        )
        assert (await group_of(client, member, group_id))["name"] != "never"
        # The same users and groups in another form are the same value.
        old = {"direct_members": [], "direct_subgroups": [nobody, nobody]}
        response = await change(
            client, member, group_id, can_join_group={"new": members, "old": old}
        )
        assert_success(response)
        assert (await group_of(client, member, group_id))["can_join_group"] == members

    @pytest.mark.any_database
    async def test_forbidden_and_unknown_values(
        self, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        group_id = await add_group(client, member)
        everyone = realm.system_groups[SystemGroup.EVERYONE]
        values: dict[str, Any] = {
            "can_manage_group": everyone,
            "can_join_group": 4711,
            "can_leave_group": {"direct_members": [4711], "direct_subgroups": []},
        }
        messages = [
            assert_error(await change(client, member, group_id, **{name: {"new": value}}))
            for name, value in values.items()
        ]
        assert messages == [
            "'can_manage_group' cannot be set to 'role:everyone' group.",
            "can_join_group: Invalid user group",
            "can_leave_group: Invalid user ID: 4711",
        ]

    @pytest.mark.any_database
    async def test_unchanged_value_is_accepted(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        admin: Person,
    ) -> None:
        """Even if it could not be set anew."""
        value = unnamed([member, admin])
        group_id = await add_group(client, member, can_manage_group=value)
        await deactivate(runtime, realm, admin)
        response = await change(client, member, group_id, can_manage_group={"new": value})
        assert_success(response)


@pytest.mark.any_database
class TestReactivation:
    async def test_with_changes_in_the_same_call(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member, [member])
        await deactivate_group(client, member, group_id)
        response = await change(
            client,
            member,
            group_id,
            deactivated=False,
            name="Back",
            # Itself: only an active group can be named.
            can_join_group={"new": unnamed([member], [group_id])},
        )
        assert_success(response)
        group = await group_of(client, member, group_id)
        assert (group["deactivated"], group["name"]) == (False, "Back")
        assert group["can_join_group"] == unnamed([member], [group_id])
        assert group["members"] == ids(member)

    async def test_deactivated_true_has_no_effect(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member)
        before = await group_of(client, member, group_id)
        assert_success(await change(client, member, group_id, deactivated=True))
        assert await group_of(client, member, group_id) == before
        await deactivate_group(client, member, group_id)
        assert_success(await change(client, member, group_id, deactivated=True))
        assert (await group_of(client, member, group_id))["deactivated"]

    async def test_of_an_active_group_changes_nothing(
        self, client: ApiClient, member: Person
    ) -> None:
        group_id = await add_group(client, member)
        before = await group_of(client, member, group_id)
        assert_success(await change(client, member, group_id, deactivated=False))
        assert await group_of(client, member, group_id) == before

    async def test_deactivated_groups_can_be_edited(
        self, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        group_id = await add_group(client, member, name="Old")
        await deactivate_group(client, member, group_id)
        moderators = realm.system_groups[SystemGroup.MODERATORS]
        response = await change(client, member, group_id, can_join_group={"new": moderators})
        assert_success(response)
        response = await change(client, member, group_id, can_join_group={"new": group_id})
        assert assert_error(response) == "can_join_group: User group is deactivated: Old"
        group = await group_of(client, member, group_id)
        assert (group["deactivated"], group["can_join_group"]) == (True, moderators)

    async def test_needs_all_subgroups_and_named_groups_to_be_active(
        self, client: ApiClient, realm: RealmRecord, member: Person
    ) -> None:
        """No active group may refer to a deactivated group."""
        inner = await add_group(client, member, name="inner")
        named = await add_group(client, member, name="named")
        group_id = await add_group(client, member, subgroups=[inner], can_join_group=named)
        for each in (group_id, inner, named):
            await deactivate_group(client, member, each)
        response = await change(client, member, group_id, deactivated=False)
        assert assert_error(response) == "User group is deactivated: inner"
        assert_success(await change(client, member, inner, deactivated=False))
        response = await change(client, member, group_id, deactivated=False, name="Back")
        assert assert_error(response) == "User group is deactivated: named"
        assert (await group_of(client, member, group_id))["deactivated"]
        new = {"new": realm.system_groups[SystemGroup.MEMBERS]}
        response = await change(client, member, group_id, deactivated=False, can_join_group=new)
        assert_success(response)
