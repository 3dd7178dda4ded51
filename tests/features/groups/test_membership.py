"""Members and subgroups of a group: reading and changing them, on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeUser, Person
from tests.features.groups.conftest import Elsewhere
from tests.features.groups.groups import (
    GROUPS,
    add_group,
    deactivate_group,
    group_of,
    ids,
    members_of,
    unnamed,
)
from tests.support.account_changes import change_role, deactivate
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success

FORBIDDEN = "Insufficient permission"
NOTHING = "Nothing to do: there is nobody to add or to delete"


async def change(client: ApiClient, person: Person, group_id: int, **params: object) -> ApiResponse:
    return await client.post(f"{GROUPS}/{group_id}/members", person, **params)


async def change_subgroups(
    client: ApiClient, person: Person, group_id: int, **params: object
) -> ApiResponse:
    return await client.post(f"{GROUPS}/{group_id}/subgroups", person, **params)


async def subgroups_of(client: ApiClient, person: Person, group_id: int) -> list[int]:
    subgroups: list[int] = (await group_of(client, person, group_id))["direct_subgroup_ids"]
    return subgroups


@pytest.mark.any_database
class TestChangeMembers:
    async def test_anonymous(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member)
        response = await client.post(f"{GROUPS}/{group_id}/members", add=[])
        assert_error(response, "UNAUTHORIZED", 401)

    async def test_adds_and_deletes(
        self, client: ApiClient, member: Person, guest: Person, owner: Person
    ) -> None:
        group_id = await add_group(client, owner, [member])
        response = await change(
            client, owner, group_id, add=ids(guest, owner, guest), delete=ids(member), extra="x"
        )
        assert assert_success(response) == {"ignored_parameters_unsupported": ["extra"]}
        assert await members_of(client, member, group_id) == sorted(ids(guest, owner))

    @pytest.mark.parametrize("params", [{}, {"add": [], "delete": []}, {"extra": "x"}])
    async def test_request_without_changes(
        self, client: ApiClient, member: Person, params: dict[str, Any]
    ) -> None:
        group_id = await add_group(client, member)
        assert assert_error(await change(client, member, group_id, **params)) == NOTHING

    async def test_invalid_additions_and_deletions_change_nothing(
        self, client: ApiClient, member: Person, guest: Person, owner: Person
    ) -> None:
        group_id = await add_group(client, owner, [member])
        for params, message in (
            ({"add": ids(member, guest)}, f"Already a member of this group: {member.user_id}"),
            ({"delete": ids(member, guest)}, f"Not a member of this group: {guest.user_id}"),
            (
                {"add": ids(guest), "delete": ids(guest)},
                f"Cannot be added and deleted at once: {guest.user_id}",
            ),
            ({"add": [4711, *ids(guest)]}, "Invalid user ID: 4711"),
            ({"delete": [4711]}, "Not a member of this group: 4711"),
            ({"delete": ids(member), "add": [4711]}, "Invalid user ID: 4711"),
            (
                {"add": ids(guest), "delete_subgroups": [4711]},
                "Not a subgroup of this group: 4711",
            ),
        ):
            assert assert_error(await change(client, owner, group_id, **params)) == message
            # All or nothing.
            assert await members_of(client, member, group_id) == ids(member)

    async def test_deactivated_users_cannot_be_added_or_deleted(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person, guest: Person
    ) -> None:
        group_id = await add_group(client, member, [guest])
        other = await add_group(client, member)
        await deactivate(runtime, realm, guest)
        response = await change(client, member, other, add=ids(guest))
        assert assert_error(response) == f"Invalid user ID: {guest.user_id}"
        response = await change(client, member, group_id, delete=ids(guest))
        assert assert_error(response) == f"Not a member of this group: {guest.user_id}"

    async def test_users_of_another_realm(
        self, elsewhere: Elsewhere, member: Person, make_user: MakeUser
    ) -> None:
        group_id = await add_group(elsewhere.here, member)
        response = await change(elsewhere.here, member, group_id, add=ids(elsewhere.person))
        message = f"Invalid user ID: {elsewhere.person.user_id}"
        assert assert_error(response) == message
        response = await change(elsewhere.here, member, elsewhere.group_id, add=ids(member))
        assert assert_error(response) == "Invalid user group"

    async def test_deactivated_groups(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member, [member], name="Old")
        await deactivate_group(client, member, group_id)
        for response in (
            await change(client, member, group_id, delete=ids(member)),
            await change_subgroups(client, member, group_id, add=[group_id]),
        ):
            assert assert_error(response) == "User group is deactivated: Old"

    async def test_system_groups(
        self, client: ApiClient, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        group_id = realm.system_groups[SystemGroup.MODERATORS]
        assert assert_error(await change(client, owner, group_id, add=ids(member))) == FORBIDDEN


class TestPermissions:
    """Each permission allows the users it names, and no others."""

    @pytest.fixture
    async def helper(self, make_user: MakeUser) -> Person:
        """Named by the permission under test, by way of a group."""
        return await make_user()

    @pytest.fixture
    async def helpers(self, client: ApiClient, owner: Person, helper: Person) -> int:
        return await add_group(client, owner, [helper])

    @pytest.mark.any_database
    @pytest.mark.parametrize("setting", ["can_add_members_group", "can_manage_group"])
    async def test_add(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        helper: Person,
        helpers: int,
        setting: str,
    ) -> None:
        permission: dict[str, Any] = {setting: helpers}
        group_id = await add_group(client, owner, **permission)
        inner = await add_group(client, owner)
        for params in ({"add": ids(helper)}, {"add_subgroups": [inner]}):
            assert assert_error(await change(client, member, group_id, **params)) == FORBIDDEN
            assert_success(await change(client, helper, group_id, **params))
        # The permission to add does not include the one to remove.
        if setting == "can_add_members_group":
            for params in ({"delete": ids(owner)}, {"delete_subgroups": [inner]}):
                assert assert_error(await change(client, helper, group_id, **params)) == FORBIDDEN

    @pytest.mark.any_database
    @pytest.mark.parametrize("setting", ["can_remove_members_group", "can_manage_group"])
    async def test_remove(
        self,
        client: ApiClient,
        owner: Person,
        member: Person,
        helper: Person,
        helpers: int,
        setting: str,
    ) -> None:
        inner = await add_group(client, owner)
        group_id = await add_group(client, owner, [owner], [inner], **{setting: helpers})
        for params in ({"delete": ids(owner)}, {"delete_subgroups": [inner]}):
            assert assert_error(await change(client, member, group_id, **params)) == FORBIDDEN
            assert_success(await change(client, helper, group_id, **params))
        if setting == "can_remove_members_group":
            assert assert_error(await change(client, helper, group_id, add=ids(owner))) == FORBIDDEN

    @pytest.mark.any_database
    async def test_join(
        self, client: ApiClient, owner: Person, member: Person, helper: Person, helpers: int
    ) -> None:
        group_id = await add_group(client, owner, can_join_group=helpers)
        assert assert_error(await change(client, member, group_id, add=ids(member))) == FORBIDDEN
        for params in (
            {"add": ids(member)},
            {"add": ids(helper, member)},
            {"add": ids(helper), "add_subgroups": [helpers]},
        ):
            assert assert_error(await change(client, helper, group_id, **params)) == FORBIDDEN
        assert_success(await change(client, helper, group_id, add=ids(helper, helper)))
        assert await members_of(client, member, group_id) == ids(helper)

    @pytest.mark.any_database
    async def test_leave(
        self, client: ApiClient, owner: Person, member: Person, helper: Person, helpers: int
    ) -> None:
        group_id = await add_group(client, owner, [member, helper], can_leave_group=helpers)
        assert assert_error(await change(client, member, group_id, delete=ids(member))) == FORBIDDEN
        for params in ({"delete": ids(member)}, {"delete": ids(member, helper)}):
            assert assert_error(await change(client, helper, group_id, **params)) == FORBIDDEN
        assert_success(await change(client, helper, group_id, delete=ids(helper)))
        assert await members_of(client, member, group_id) == ids(member)

    @pytest.mark.any_database
    async def test_guests_may_leave_but_not_join(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        around = await add_group(client, member, can_join_group=unnamed([guest]))
        assert assert_error(await change(client, guest, around, add=ids(guest))) == FORBIDDEN
        assert_success(await change(client, member, around, add=ids(guest)))
        assert_success(await change(client, guest, around, delete=ids(guest)))

    async def test_changed_memberships_take_effect_at_once(
        self, client: ApiClient, owner: Person, member: Person, helper: Person, helpers: int
    ) -> None:
        """Group memberships are cached, but never used when outdated."""
        group_id = await add_group(client, owner, can_add_members_group=helpers)
        inner = await add_group(client, owner, [member])
        assert assert_error(await change(client, member, group_id, add=ids(owner))) == FORBIDDEN
        assert_success(await change(client, owner, helpers, add_subgroups=[inner]))
        assert_success(await change(client, member, group_id, add=ids(owner)))
        assert_success(await change(client, owner, inner, delete=ids(member)))
        assert assert_error(await change(client, member, group_id, add=ids(helper))) == FORBIDDEN
        assert_success(await change(client, owner, inner, add=ids(member)))
        assert_success(await change(client, member, group_id, add=ids(helper)))
        assert_success(await change(client, owner, helpers, delete_subgroups=[inner]))
        assert assert_error(await change(client, member, group_id, add=ids(member))) == FORBIDDEN

    async def test_changed_roles_take_effect_at_once(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, owner: Person, member: Person
    ) -> None:
        admins = realm.system_groups[SystemGroup.ADMINISTRATORS]
        group_id = await add_group(client, owner, can_add_members_group=admins)
        assert assert_error(await change(client, member, group_id, add=ids(owner))) == FORBIDDEN
        await change_role(runtime, realm, member, Role.ADMIN)
        assert_success(await change(client, member, group_id, add=ids(owner)))


class TestChangeSubgroups:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member)
        response = await client.post(f"{GROUPS}/{group_id}/subgroups", add=[])
        assert_error(response, "UNAUTHORIZED", 401)

    async def test_adds_and_deletes(
        self, client: ApiClient, realm: RealmRecord, owner: Person
    ) -> None:
        first, second = await add_group(client, owner), await add_group(client, owner)
        admins = realm.system_groups[SystemGroup.ADMINISTRATORS]
        group_id = await add_group(client, owner, subgroups=[first])
        response = await change_subgroups(
            client, owner, group_id, add=[second, admins, second], delete=[first], extra="x"
        )
        assert assert_success(response) == {"ignored_parameters_unsupported": ["extra"]}
        assert await subgroups_of(client, owner, group_id) == sorted([second, admins])

    @pytest.mark.any_database
    async def test_forbidden(self, client: ApiClient, owner: Person, member: Person) -> None:
        inner = await add_group(client, owner)
        group_id = await add_group(client, owner, subgroups=[inner])
        for params in ({"add": [group_id]}, {"delete": [inner]}):
            response = await change_subgroups(client, member, group_id, **params)
            assert assert_error(response) == FORBIDDEN

    async def test_what_is_refused(self, client: ApiClient, owner: Person) -> None:
        inner = await add_group(client, owner)
        other = await add_group(client, owner)
        old = await add_group(client, owner, name="Old")
        await deactivate_group(client, owner, old)
        group_id = await add_group(client, owner, subgroups=[inner])
        for params, message in (
            ({}, NOTHING),
            ({"add": [inner, other]}, f"Already a subgroup of this group: {inner}"),
            ({"delete": [inner, other]}, f"Not a subgroup of this group: {other}"),
            ({"add": [other], "delete": [other]}, f"Cannot be added and deleted at once: {other}"),
            ({"add": [other, 4711]}, "Invalid user group ID: 4711"),
            ({"add": [other, old]}, "User group is deactivated: Old"),
            ({"delete": [inner], "add": [old]}, "User group is deactivated: Old"),
        ):
            response = await change_subgroups(client, owner, group_id, **params)
            assert assert_error(response) == message
            assert await subgroups_of(client, owner, group_id) == [inner]

    @pytest.mark.any_database
    async def test_cycles_are_refused(self, client: ApiClient, owner: Person) -> None:
        inner = await add_group(client, owner)
        middle = await add_group(client, owner, subgroups=[inner])
        outer = await add_group(client, owner, subgroups=[middle])
        for subgroup in (inner, middle, outer):
            response = await change_subgroups(client, owner, inner, add=[subgroup])
            assert assert_error(response) == (
                f"User group {inner} cannot be a subgroup of itself, which it would be"
                f" through: {subgroup}"
            )
        # Once the nesting is reversed, the original direction would be the cycle.
        assert_success(await change_subgroups(client, owner, outer, delete=[middle]))
        assert_success(await change_subgroups(client, owner, inner, add=[outer]))
        response = await change_subgroups(client, owner, outer, add=[middle])
        assert_error(response)
        # Two paths to the same group are no cycle.
        assert_success(await change_subgroups(client, owner, middle, add=[outer]))

    @pytest.mark.any_database
    async def test_groups_of_another_organization(
        self, elsewhere: Elsewhere, owner: Person
    ) -> None:
        group_id = await add_group(elsewhere.here, owner)
        response = await change_subgroups(elsewhere.here, owner, group_id, add=[elsewhere.group_id])
        assert assert_error(response) == f"Invalid user group ID: {elsewhere.group_id}"


class TestReading:
    @pytest.mark.parametrize("path", ["members", "subgroups", "members/1"])
    async def test_who_may_read(
        self, client: ApiClient, member: Person, guest: Person, path: str
    ) -> None:
        group_id = await add_group(client, member, [guest])
        address = f"{GROUPS}/{group_id}/{path}"
        assert_error(await client.get(address), "UNAUTHORIZED", 401)
        response = await client.get(address, guest, extra="x")
        assert assert_success(response)["ignored_parameters_unsupported"] == ["extra"]
        response = await client.get(f"{GROUPS}/4711/{path}", guest)
        assert assert_error(response) == "Invalid user group"

    async def test_nested_groups(
        self, client: ApiClient, realm: RealmRecord, owner: Person, admin: Person, guest: Person
    ) -> None:
        system = realm.system_groups
        admins = system[SystemGroup.ADMINISTRATORS]
        inner = await add_group(client, owner, [guest], [admins])
        outer = await add_group(client, owner, [owner], [inner])

        async def read(path: str, **params: object) -> Any:
            response = assert_success(await client.get(f"{GROUPS}/{outer}/{path}", guest, **params))
            (value,) = response.values()
            return value

        assert await read("members") == sorted(ids(owner, admin, guest))
        assert await read("members", direct_member_only=True) == ids(owner)
        assert await read("subgroups") == sorted([inner, admins, system[SystemGroup.OWNERS]])
        assert await read("subgroups", direct_subgroup_only=True) == [inner]
        for person, is_direct in ((owner, True), (admin, False), (guest, False)):
            path = f"members/{person.user_id}"
            assert await read(path) is True
            assert await read(path, direct_member_only=True) is is_direct

    @pytest.mark.any_database
    async def test_one_user(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person, guest: Person
    ) -> None:
        group_id = await add_group(client, member, [guest])
        everyone = realm.system_groups[SystemGroup.EVERYONE]

        async def read(group: int, user_id: int, **params: object) -> ApiResponse:
            return await client.get(f"{GROUPS}/{group}/members/{user_id}", member, **params)

        assert assert_error(await read(group_id, 4711)) == "No such user"
        response = await read(group_id, member.user_id)
        assert assert_success(response) == {"is_user_group_member": False}
        response = await read(everyone, guest.user_id, direct_member_only=True)
        assert assert_success(response) == {"is_user_group_member": True}
        await deactivate(runtime, realm, guest)
        for group in (group_id, everyone):
            for direct in (True, False):
                response = await read(group, guest.user_id, direct_member_only=direct)
                assert assert_success(response) == {"is_user_group_member": False}

    @pytest.mark.any_database
    async def test_another_organization(self, elsewhere: Elsewhere, member: Person) -> None:
        here = elsewhere.here
        group_id = await add_group(here, member)
        response = await here.get(f"{GROUPS}/{elsewhere.group_id}/members", member)
        assert assert_error(response) == "Invalid user group"
        path = f"{GROUPS}/{group_id}/members/{elsewhere.person.user_id}"
        assert assert_error(await here.get(path, member)) == "No such user"
