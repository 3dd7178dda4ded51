"""Permissions as numbers, which clients without groups read."""

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from tests.factories import Person
from tests.features.realm.settings import allow, change_realm
from tests.support.client import ApiClient
from tests.support.listening import listen


async def policy(client: ApiClient, person: Person, name: str) -> int:
    number: int = (await listen(client, person, fetch_event_types=["realm"])).state[name]
    return number


@pytest.mark.any_database
async def test_defaults_of_all_policies(client: ApiClient, member: Person) -> None:
    state = (await listen(client, member)).state
    assert state["realm_create_public_stream_policy"] == 1
    assert state["realm_create_private_stream_policy"] == 1
    assert state["realm_create_web_public_stream_policy"] == 7
    assert state["realm_wildcard_mention_policy"] == 5


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("group", "number"),
    [
        (SystemGroup.MEMBERS, 2),
        (SystemGroup.FULL_MEMBERS, 3),
        (SystemGroup.ADMINISTRATORS, 5),
        (SystemGroup.NOBODY, 6),
        (SystemGroup.MODERATORS, 7),
    ],
)
async def test_policy_is_the_number_of_the_group(
    client: ApiClient, realm: RealmRecord, owner: Person, group: SystemGroup, number: int
) -> None:
    await allow(client, owner, realm, can_mention_many_users_group=group)
    assert await policy(client, owner, "realm_wildcard_mention_policy") == number


@pytest.mark.any_database
async def test_policy_of_chosen_users_is_that_of_members(
    client: ApiClient, owner: Person, member: Person
) -> None:
    chosen = {"direct_members": [member.user_id], "direct_subgroups": []}
    for name in ("can_mention_many_users_group", "can_create_public_channel_group"):
        await change_realm(client, owner, **{name: {"new": chosen}})
    assert await policy(client, owner, "realm_wildcard_mention_policy") == 2
    assert await policy(client, owner, "realm_create_public_stream_policy") == 1
