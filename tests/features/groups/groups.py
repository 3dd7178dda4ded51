"""User groups for tests, made and read through the API."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from tests.factories import Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success

GROUPS = "/user_groups"
_numbers = count(1)


def ids(*people: Person) -> list[int]:
    return [int(person.user_id) for person in people]


def unnamed(people: Iterable[Person] = (), groups: Iterable[int] = ()) -> dict[str, list[int]]:
    """A group setting given as a list of users and groups, not as one named group."""
    return {"direct_members": sorted(ids(*people)), "direct_subgroups": sorted(groups)}


async def add_group(
    client: ApiClient,
    creator: Person,
    members: Iterable[Person] = (),
    subgroups: Iterable[int] = (),
    **details: object,
) -> int:
    details.setdefault("name", f"group {next(_numbers)}")
    details.setdefault("description", "")
    response = await client.post(
        f"{GROUPS}/create", creator, members=ids(*members), subgroups=list(subgroups), **details
    )
    return int(assert_success(response)["group_id"])


async def deactivate_group(client: ApiClient, person: Person, group_id: int) -> None:
    assert_success(await client.post(f"{GROUPS}/{group_id}/deactivate", person))


async def all_groups(
    client: ApiClient, person: Person, **params: object
) -> dict[int, dict[str, Any]]:
    """What GET /user_groups returns, by id."""
    response = assert_success(await client.get(GROUPS, person, **params))
    return {group["id"]: group for group in response["user_groups"]}


async def group_of(client: ApiClient, person: Person, group_id: int) -> dict[str, Any]:
    """One group as GET /user_groups shows it, deactivated or not."""
    groups = await all_groups(client, person, include_deactivated_groups=True)
    return groups[group_id]


async def members_of(client: ApiClient, person: Person, group_id: int) -> list[int]:
    """Direct members."""
    members: list[int] = (await group_of(client, person, group_id))["members"]
    return members
