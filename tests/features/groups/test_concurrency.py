"""Concurrent changes of groups, on both databases."""

import asyncio

from tests.factories import Person
from tests.features.groups.groups import GROUPS, add_group, group_of, ids, members_of
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success


async def test_one_of_two_concurrent_groups_gets_the_name(
    client: ApiClient, member: Person, owner: Person
) -> None:
    responses = await asyncio.gather(
        *(
            client.post(f"{GROUPS}/create", person, name="Same", description="", members=[])
            for person in (member, owner) * 3
        )
    )
    refused = [response for response in responses if response.status != 200]
    assert len(refused) == len(responses) - 1
    for response in refused:
        assert assert_error(response) == "User group 'Same' already exists."


async def test_concurrent_additions_cannot_create_a_cycle(client: ApiClient, owner: Person) -> None:
    first, second = await add_group(client, owner), await add_group(client, owner)
    responses = await asyncio.gather(
        client.post(f"{GROUPS}/{first}/subgroups", owner, add=[second]),
        client.post(f"{GROUPS}/{second}/subgroups", owner, add=[first]),
    )
    assert sorted(response.status for response in responses) == [200, 400]
    inside = [await group_of(client, owner, group_id) for group_id in (first, second)]
    assert sum(len(group["direct_subgroup_ids"]) for group in inside) == 1


async def test_group_is_not_referenced_while_it_is_deactivated(
    client: ApiClient, owner: Person
) -> None:
    going, around = await add_group(client, owner), await add_group(client, owner)
    responses = await asyncio.gather(
        client.post(f"{GROUPS}/{going}/deactivate", owner),
        client.post(f"{GROUPS}/{around}/subgroups", owner, add=[going]),
        client.patch(f"{GROUPS}/{around}", owner, can_join_group={"new": going}),
    )
    is_deactivated = (await group_of(client, owner, going))["deactivated"]
    assert [response.status == 200 for response in responses].count(True) == (
        1 if is_deactivated else 2
    )


async def test_concurrent_joins_add_each_user_once(
    client: ApiClient, member: Person, owner: Person
) -> None:
    group_id = await add_group(client, owner)
    responses = await asyncio.gather(
        *(client.post(f"{GROUPS}/{group_id}/members", owner, add=ids(member)) for _ in range(4))
    )
    assert sorted(response.status for response in responses) == [200, 400, 400, 400]
    assert await members_of(client, owner, group_id) == ids(member)
    assert_success(await client.post(f"{GROUPS}/{group_id}/members", owner, delete=ids(member)))
