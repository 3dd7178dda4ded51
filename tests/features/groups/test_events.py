"""Events about user groups, on both databases."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from tests.factories import Person
from tests.features.groups.groups import (
    GROUPS,
    add_group,
    all_groups,
    deactivate_group,
    group_of,
    ids,
    unnamed,
)
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success

KNOWS_DEACTIVATED = {"include_deactivated_groups": True}


@pytest.fixture
async def listener(client: ApiClient, guest: Person, member: Person, owner: Person) -> Listener:
    """A guest with an old client: gets only the events that every client gets."""
    return await listen(client, guest, fetch_event_types=[])


@pytest.fixture
async def newer(client: ApiClient, guest: Person, member: Person, owner: Person) -> Listener:
    """A client that keeps deactivated groups."""
    return await listen(client, guest, fetch_event_types=[], client_capabilities=KNOWS_DEACTIVATED)


async def told(listener: Listener) -> list[dict[str, Any]]:
    events = await listener.new_events()
    for event in events:
        assert event.pop("type") == "user_group"
        event.pop("id")
    return events


@pytest.mark.any_database
class TestGroupEvents:
    async def test_add(self, client: ApiClient, member: Person, listener: Listener) -> None:
        inner = await add_group(client, member)
        await told(listener)
        group_id = await add_group(client, member, [member], [inner])
        group = await group_of(client, member, group_id)
        assert await told(listener) == [{"op": "add", "group": group}]

    async def test_update_contains_the_changed_properties(
        self, client: ApiClient, realm: RealmRecord, member: Person, listener: Listener
    ) -> None:
        group_id = await add_group(client, member, name="Old", description="Text")
        await told(listener)
        members = realm.system_groups[SystemGroup.MEMBERS]
        everyone = realm.system_groups[SystemGroup.EVERYONE]
        response = await client.patch(
            f"{GROUPS}/{group_id}",
            member,
            name="New",
            description="Text ",
            deactivated=False,
            can_join_group={"new": members},
            can_manage_group={"new": unnamed([member], [members])},
            can_mention_group={"new": everyone, "old": everyone},
        )
        assert_success(response)
        data = {
            "name": "New",
            "can_join_group": members,
            "can_manage_group": unnamed([member], [members]),
        }
        assert await told(listener) == [{"op": "update", "group_id": group_id, "data": data}]

    async def test_no_change_is_no_event(
        self, client: ApiClient, member: Person, listener: Listener
    ) -> None:
        group_id = await add_group(client, member, [member], name="Same")
        await told(listener)
        path = f"{GROUPS}/{group_id}"
        own = unnamed([member])
        assert_success(await client.patch(path, member, name="Same", deactivated=True))
        assert_success(await client.patch(path, member, can_manage_group={"new": own}))
        assert_error(await client.patch(path, member, name="New", can_join_group={"new": 4711}))
        response = await client.post(f"{path}/members", member, delete=ids(member), add=[4711])
        assert_error(response)
        assert await told(listener) == []

    async def test_members_and_subgroups(
        self, client: ApiClient, member: Person, owner: Person, guest: Person, listener: Listener
    ) -> None:
        gone, come = await add_group(client, owner), await add_group(client, owner)
        group_id = await add_group(client, owner, [guest, member], [gone])
        await told(listener)
        response = await client.post(
            f"{GROUPS}/{group_id}/members",
            owner,
            add=ids(owner),
            delete=ids(guest, member),
            add_subgroups=[come],
            delete_subgroups=[gone],
        )
        assert_success(response)
        people = sorted(ids(guest, member))
        assert await told(listener) == [
            {"op": "remove_members", "group_id": group_id, "user_ids": people},
            {"op": "remove_subgroups", "group_id": group_id, "direct_subgroup_ids": [gone]},
            {"op": "add_members", "group_id": group_id, "user_ids": ids(owner)},
            {"op": "add_subgroups", "group_id": group_id, "direct_subgroup_ids": [come]},
        ]
        path = f"{GROUPS}/{group_id}/subgroups"
        assert_success(await client.post(path, owner, add=[gone], delete=[come]))
        assert [event["op"] for event in await told(listener)] == [
            "remove_subgroups",
            "add_subgroups",
        ]


@pytest.mark.any_database
class TestDeactivatedGroups:
    async def test_clients_that_keep_them_get_an_update(
        self, client: ApiClient, member: Person, newer: Listener
    ) -> None:
        group_id = await add_group(client, member)
        await told(newer)
        await deactivate_group(client, member, group_id)
        update = {"op": "update", "group_id": group_id}
        assert await told(newer) == [{**update, "data": {"deactivated": True}}]
        path = f"{GROUPS}/{group_id}"
        assert_success(await client.patch(path, member, name="Renamed"))
        assert await told(newer) == [{**update, "data": {"name": "Renamed"}}]
        assert_success(await client.patch(path, member, name="Back", deactivated=False))
        assert await told(newer) == [{**update, "data": {"name": "Back", "deactivated": False}}]

    async def test_other_clients_get_remove_and_add_events(
        self, client: ApiClient, member: Person, listener: Listener
    ) -> None:
        group_id = await add_group(client, member, [member])
        await told(listener)
        await deactivate_group(client, member, group_id)
        assert await told(listener) == [{"op": "remove", "group_id": group_id}]
        path = f"{GROUPS}/{group_id}"
        assert_success(await client.patch(path, member, name="Renamed"))
        assert await told(listener) == []
        assert_success(await client.patch(path, member, name="Back", deactivated=False))
        group = await group_of(client, member, group_id)
        assert (group["name"], group["members"]) == ("Back", ids(member))
        assert await told(listener) == [{"op": "add", "group": group}]


class TestState:
    @pytest.mark.any_database
    async def test_register_lists_deactivated_groups_by_capability(
        self, client: ApiClient, member: Person, guest: Person
    ) -> None:
        await add_group(client, member, [guest])
        old = await add_group(client, member)
        await deactivate_group(client, member, old)
        wanted = ["realm_user_groups"]
        state = (await listen(client, guest, fetch_event_types=wanted)).state
        assert state["realm_user_groups"] == list((await all_groups(client, guest)).values())
        state = (
            await listen(
                client, guest, fetch_event_types=wanted, client_capabilities=KNOWS_DEACTIVATED
            )
        ).state
        groups = await all_groups(client, guest, include_deactivated_groups=True)
        assert state["realm_user_groups"] == list(groups.values())
        assert old in groups
