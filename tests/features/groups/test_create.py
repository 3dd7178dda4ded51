"""POST /user_groups/create and GET /user_groups, on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from chatapi.permissions.settings import GroupPermission
from tests.factories import MakeUser, Person
from tests.features.groups.conftest import Elsewhere
from tests.features.groups.groups import (
    GROUPS,
    add_group,
    all_groups,
    deactivate_group,
    group_of,
    ids,
    members_of,
    unnamed,
)
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.responses import assert_error, assert_success

CREATE = f"{GROUPS}/create"


class TestCreate:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, realm: RealmRecord) -> None:
        response = await client.post(CREATE, name="a", description="", members=[])
        assert_error(response, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    @pytest.mark.parametrize("missing", ["name", "description", "members"])
    async def test_missing_parameter(self, client: ApiClient, member: Person, missing: str) -> None:
        params: dict[str, Any] = {"name": "a", "description": "", "members": []}
        del params[missing]
        message = assert_error(await client.post(CREATE, member, **params))
        assert message == f"Missing '{missing}' argument"

    @pytest.mark.any_database
    async def test_guests_may_not(self, client: ApiClient, guest: Person) -> None:
        response = await client.post(CREATE, guest, name="a", description="", members=[])
        assert assert_error(response) == "Insufficient permission"

    @pytest.mark.any_database
    async def test_members_may(
        self,
        client: ApiClient,
        realm: RealmRecord,
        member: Person,
        guest: Person,
        clock: MovableClock,
    ) -> None:
        response = await client.post(
            CREATE,
            member,
            name=" Marketing ",
            description=" Talk ",
            members=ids(guest, member),
            extra="x",
        )
        payload = assert_success(response)
        assert payload["ignored_parameters_unsupported"] == ["extra"]
        everyone = realm.system_groups[SystemGroup.EVERYONE]
        nobody = realm.system_groups[SystemGroup.NOBODY]
        assert await group_of(client, guest, payload["group_id"]) == {
            "id": payload["group_id"],
            "name": "Marketing",
            "description": "Talk",
            "date_created": int(clock.now().timestamp()),
            "creator_id": member.user_id,
            "members": sorted(ids(guest, member)),
            "direct_subgroup_ids": [],
            "is_system_group": False,
            "can_add_members_group": unnamed([member]),
            "can_join_group": nobody,
            "can_leave_group": everyone,
            "can_manage_group": unnamed([member]),
            "can_mention_group": everyone,
            "can_remove_members_group": nobody,
            "deactivated": False,
        }

    @pytest.mark.any_database
    async def test_bots_may_be_members_and_duplicates_are_ignored(
        self, client: ApiClient, member: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=member)
        group_id = await add_group(client, member, [bot, bot])
        assert await members_of(client, member, group_id) == ids(bot)

    @pytest.mark.any_database
    async def test_with_subgroups_and_permissions(
        self, client: ApiClient, realm: RealmRecord, member: Person, owner: Person
    ) -> None:
        inner = await add_group(client, owner)
        moderators = realm.system_groups[SystemGroup.MODERATORS]
        settings: dict[str, Any] = {
            "can_manage_group": unnamed([owner], [inner]),
            "can_join_group": moderators,
            "can_mention_group": {"direct_members": [], "direct_subgroups": [inner]},
        }
        group_id = await add_group(client, member, subgroups=[inner, moderators], **settings)
        group = await group_of(client, member, group_id)
        assert group["direct_subgroup_ids"] == sorted([inner, moderators])
        assert group["can_manage_group"] == unnamed([owner], [inner])
        assert group["can_join_group"] == moderators
        # A setting with a single group is that group, in either form.
        assert group["can_mention_group"] == inner

    async def test_name_that_lower_case_makes_longer_is_taken(
        self, client: ApiClient, member: Person
    ) -> None:
        name = "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}" * 100
        params = {"name": name, "description": "", "members": []}
        assert_success(await client.post(CREATE, member, **params))
        response = await client.post(CREATE, member, **params)
        assert "already exists" in assert_error(response)

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("", "name cannot be empty"),
            ("  ", "name cannot be empty"),
            ("a\nb", "name contains invalid characters"),
            ("x" * 101, "name is too long (limit: 100 characters)"),
            ("@all", "name cannot start with '@'"),
            ("role:owners", "name cannot start with 'role:'"),
            ("User:7", "name cannot start with 'user:'"),
            ("stream:a", "name cannot start with 'stream:'"),
            ("channel:a", "name cannot start with 'channel:'"),
        ],
    )
    async def test_names_that_are_refused(
        self, client: ApiClient, member: Person, name: str, message: str
    ) -> None:
        response = await client.post(CREATE, member, name=name, description="", members=[])
        assert assert_error(response).startswith(message)

    @pytest.mark.any_database
    async def test_the_longest_name_and_description(
        self, client: ApiClient, member: Person
    ) -> None:
        details: dict[str, Any] = {"name": "x" * 100, "description": "y" * 1024}
        group = await group_of(client, member, await add_group(client, member, **details))
        assert {key: group[key] for key in details} == details
        response = await client.post(CREATE, member, name="a", description="y" * 1025, members=[])
        assert assert_error(response) == "description is too long (limit: 1024 characters)"

    async def test_names_differ_in_more_than_case(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member, name="Größe")
        response = await client.post(CREATE, member, name="größe ", description="", members=[])
        assert assert_error(response) == "User group 'größe' already exists."
        await deactivate_group(client, member, group_id)
        response = await client.post(CREATE, member, name="Größe", description="", members=[])
        assert_error(response)

    @pytest.mark.any_database
    async def test_unknown_and_deactivated_members(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        guest: Person,
    ) -> None:
        await deactivate(runtime, realm, guest)
        response = await client.post(
            CREATE, member, name="a", description="", members=[*ids(guest, member), 4711]
        )
        assert assert_error(response) == f"Invalid user ID: {guest.user_id}, 4711"
        assert len(await all_groups(client, member)) == len(SystemGroup)

    @pytest.mark.any_database
    async def test_unknown_and_deactivated_subgroups(
        self, client: ApiClient, member: Person
    ) -> None:
        params: dict[str, Any] = {"name": "a", "description": "", "members": []}
        response = await client.post(CREATE, member, **params, subgroups=[4711])
        assert assert_error(response) == "Invalid user group ID: 4711"
        old = await add_group(client, member, name="old")
        await deactivate_group(client, member, old)
        response = await client.post(CREATE, member, **params, subgroups=[old])
        assert assert_error(response) == "User group is deactivated: old"

    @pytest.mark.any_database
    async def test_users_and_groups_of_other_realms_are_unknown(
        self, elsewhere: Elsewhere, member: Person
    ) -> None:
        params: dict[str, Any] = {"name": "a", "description": ""}
        for more in (
            {"members": ids(elsewhere.person)},
            {"members": [], "subgroups": [elsewhere.group_id]},
            {"members": [], "can_join_group": elsewhere.group_id},
            {"members": [], "can_join_group": unnamed([elsewhere.person])},
        ):
            assert "nvalid user" in assert_error(
                await elsewhere.here.post(CREATE, member, **params, **more)
            )
        assert elsewhere.group_id not in await all_groups(elsewhere.here, member)

    @pytest.mark.any_database
    @pytest.mark.parametrize("permission", GroupPermission, ids=str)
    async def test_system_groups_a_permission_may_name(
        self, client: ApiClient, realm: RealmRecord, member: Person, permission: GroupPermission
    ) -> None:
        refused: dict[str, set[SystemGroup]] = {"alone": set(), "among others": set()}
        for group in SystemGroup:
            group_id = realm.system_groups[group]
            for how, value in (
                ("alone", group_id),
                ("among others", unnamed([member], [group_id])),
            ):
                response = await client.post(
                    CREATE,
                    member,
                    name=f"{how}: {group}",
                    description="",
                    members=[],
                    **{permission.value: value},
                )
                if response.status != 200:
                    message = f"'{permission}' cannot be set to '{group}' group."
                    assert assert_error(response) == message
                    refused[how].add(group)
        forbidden = permission.setting.forbidden
        assert refused == {"alone": forbidden, "among others": forbidden}

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "value", ["role:members", {"direct_members": []}, [1], {"new": 1}, -1, 1.5]
    )
    async def test_values_of_the_wrong_form(
        self, client: ApiClient, member: Person, value: object
    ) -> None:
        response = await client.post(
            CREATE, member, name="a", description="", members=[], can_join_group=value
        )
        assert "can_join_group" in assert_error(response)

    @pytest.mark.any_database
    async def test_deactivated_groups_cannot_be_named(
        self, client: ApiClient, member: Person
    ) -> None:
        old = await add_group(client, member, name="old")
        await deactivate_group(client, member, old)
        for value in (old, unnamed([member], [old])):
            response = await client.post(
                CREATE, member, name="a", description="", members=[], can_join_group=value
            )
            message = assert_error(response)
            assert message == "can_join_group: User group is deactivated: old"


@pytest.mark.any_database
class TestList:
    async def test_anonymous(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await client.get(GROUPS), "UNAUTHORIZED", 401)

    async def test_system_groups_follow_roles(
        self, client: ApiClient, realm: RealmRecord, make_user: MakeUser
    ) -> None:
        people = {role: await make_user(role) for role in Role}
        groups = await all_groups(client, people[Role.GUEST])
        by_name = {group["name"]: group for group in groups.values()}
        assert by_name.keys() == set(SystemGroup)
        assert {name: group["members"] for name, group in by_name.items()} == {
            SystemGroup.NOBODY: [],
            SystemGroup.OWNERS: ids(people[Role.OWNER]),
            SystemGroup.ADMINISTRATORS: ids(people[Role.ADMIN]),
            SystemGroup.MODERATORS: ids(people[Role.MODERATOR]),
            SystemGroup.FULL_MEMBERS: ids(people[Role.MEMBER]),
            SystemGroup.MEMBERS: [],
            SystemGroup.EVERYONE: ids(people[Role.GUEST]),
            SystemGroup.INTERNET: [],
        }
        for group in SystemGroup:
            shown = by_name[group]
            assert shown["id"] == realm.system_groups[group]
            assert shown["direct_subgroup_ids"] == [realm.system_groups[s] for s in group.subgroups]
            assert shown["is_system_group"]
            assert shown["creator_id"] is shown["date_created"] is None
            assert {shown[name] for name in GroupPermission} == {
                realm.system_groups[SystemGroup.NOBODY]
            }

    async def test_deactivated_groups_are_listed_on_request_only(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        group_id = await add_group(client, member)
        await deactivate_group(client, member, group_id)
        assert group_id not in await all_groups(client, guest)
        groups = await all_groups(client, guest, include_deactivated_groups=True)
        assert groups[group_id]["deactivated"]

    async def test_deactivated_users_are_in_no_group(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        member: Person,
        guest: Person,
    ) -> None:
        group_id = await add_group(client, member, [guest, member])
        await deactivate(runtime, realm, guest)
        groups = await all_groups(client, member)
        assert groups[group_id]["members"] == ids(member)
        assert groups[realm.system_groups[SystemGroup.EVERYONE]]["members"] == []
