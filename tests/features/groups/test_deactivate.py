"""POST /user_groups/{user_group_id}/deactivate, on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeChannel, Person
from tests.features.groups.conftest import Elsewhere
from tests.features.groups.groups import GROUPS, add_group, deactivate_group, group_of, unnamed
from tests.support.client import ApiClient
from tests.support.responses import ApiResponse, assert_error, assert_success

IN_USE = "CANNOT_DEACTIVATE_GROUP_IN_USE"


async def try_deactivate(client: ApiClient, person: Person, group_id: int) -> ApiResponse:
    return await client.post(f"{GROUPS}/{group_id}/deactivate", person)


def assert_in_use(response: ApiResponse, *objections: dict[str, Any]) -> None:
    message = assert_error(response, IN_USE, objections=list(objections))
    assert message == "Cannot deactivate user group in use."


@pytest.mark.any_database
class TestDeactivate:
    async def test_anonymous(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member)
        response = await client.post(f"{GROUPS}/{group_id}/deactivate")
        assert_error(response, "UNAUTHORIZED", 401)

    async def test_managers_may(
        self, client: ApiClient, member: Person, admin: Person, owner: Person
    ) -> None:
        for manager in (member, owner):
            group_id = await add_group(client, member)
            response = await try_deactivate(client, admin, group_id)
            assert assert_error(response) == "Insufficient permission"
            response = await client.post(f"{GROUPS}/{group_id}/deactivate", manager, extra="x")
            assert assert_success(response) == {"ignored_parameters_unsupported": ["extra"]}
            assert (await group_of(client, admin, group_id))["deactivated"]

    async def test_objections_name_channels_visible_to_the_caller_only(
        self, client: ApiClient, make_channel: MakeChannel, owner: Person, member: Person
    ) -> None:
        group_id = await add_group(client, member)
        named = {"can_send_message_group": group_id}
        public = await make_channel("public", **named)
        secret = await make_channel("secret", invite_only=True, **named)
        objections = [
            {"type": "channel", "channel_id": channel.id, "settings": [*named]}
            for channel in (public, secret)
        ]
        assert_in_use(await try_deactivate(client, owner, group_id), *objections)
        assert_in_use(await try_deactivate(client, member, group_id), objections[0])

    async def test_use_in_a_hidden_channel_is_refused_without_naming_it(
        self, client: ApiClient, make_channel: MakeChannel, member: Person
    ) -> None:
        group_id = await add_group(client, member)
        await make_channel("secret", invite_only=True, can_send_message_group=group_id)
        assert_in_use(await try_deactivate(client, member, group_id))

    async def test_only_once(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member, name="Old")
        await deactivate_group(client, member, group_id)
        response = await try_deactivate(client, member, group_id)
        assert assert_error(response) == "User group is deactivated: Old"

    async def test_not_system_groups(
        self, client: ApiClient, realm: RealmRecord, owner: Person
    ) -> None:
        response = await try_deactivate(client, owner, realm.system_groups[SystemGroup.OWNERS])
        assert assert_error(response) == "Insufficient permission"

    async def test_unknown_group(self, client: ApiClient, owner: Person) -> None:
        assert assert_error(await try_deactivate(client, owner, 4711)) == "Invalid user group"

    async def test_group_of_another_organization(self, elsewhere: Elsewhere, owner: Person) -> None:
        response = await try_deactivate(elsewhere.here, owner, elsewhere.group_id)
        assert assert_error(response) == "Invalid user group"


@pytest.mark.any_database
class TestInUse:
    async def test_as_subgroup_of_other_groups(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member)
        around = [await add_group(client, member, subgroups=[group_id]) for _ in range(3)]
        await deactivate_group(client, member, around[1])
        assert_in_use(
            await try_deactivate(client, member, group_id),
            {"type": "subgroup", "supergroup_ids": [around[0], around[2]]},
        )
        for each in (around[0], around[2]):
            await deactivate_group(client, member, each)
        await deactivate_group(client, member, group_id)

    async def test_in_permissions_of_other_groups(self, client: ApiClient, member: Person) -> None:
        group_id = await add_group(client, member)
        alone = await add_group(client, member, can_join_group=group_id)
        value = unnamed([member], [group_id])
        among = await add_group(client, member, can_manage_group=value, can_mention_group=group_id)
        gone = await add_group(client, member, can_join_group=group_id)
        await deactivate_group(client, member, gone)
        assert_in_use(
            await try_deactivate(client, member, group_id),
            {"type": "user_group", "group_id": alone, "settings": ["can_join_group"]},
            {
                "type": "user_group",
                "group_id": among,
                "settings": ["can_manage_group", "can_mention_group"],
            },
        )

    async def test_its_own_permissions_do_not_count(
        self, client: ApiClient, member: Person
    ) -> None:
        group_id = await add_group(client, member, [member])
        own = {"new": unnamed([member], [group_id])}
        response = await client.patch(f"{GROUPS}/{group_id}", member, can_manage_group=own)
        assert_success(response)
        await deactivate_group(client, member, group_id)
        # And its members can reactivate it.
        response = await client.patch(f"{GROUPS}/{group_id}", member, deactivated=False)
        assert_success(response)

    async def test_in_permissions_of_the_realm(
        self, client: ApiClient, member: Person, owner: Person
    ) -> None:
        group_id = await add_group(client, member)
        around = await add_group(client, member, subgroups=[group_id])
        response = await client.patch(
            "/realm",
            owner,
            can_create_groups={"new": group_id},
            can_manage_all_groups={"new": unnamed([owner], [group_id])},
        )
        assert_success(response)
        assert_in_use(
            await try_deactivate(client, member, group_id),
            {"type": "subgroup", "supergroup_ids": [around]},
            {"type": "realm", "settings": ["can_create_groups", "can_manage_all_groups"]},
        )
