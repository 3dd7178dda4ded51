"""PATCH /settings with `target_users`: an administrator changes settings of others."""

from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.system_groups import SystemGroup
from tests.factories import MakeUser, Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success


async def color_scheme_of(client: ApiClient, person: Person) -> int:
    state = (await listen(client, person, fetch_event_types=["user_settings"])).state
    scheme: int = state["user_settings"]["color_scheme"]
    return scheme


def target(*people: Person, skips: bool = False, **more: object) -> dict[str, object]:
    ids = [person.user_id for person in people]
    return {"user_ids": ids, "skip_if_already_edited": skips, **more}


async def test_named_users_and_members_of_groups_get_the_setting(
    client: ApiClient, realm: RealmRecord, admin: Person, member: Person, guest: Person
) -> None:
    listener = await listen(client, member, event_types=["user_settings"])
    group = realm.system_groups[SystemGroup.MODERATORS]
    chosen = target(member, group_ids=[group])
    changed = await client.patch("/settings", admin, target_users=chosen, color_scheme=2)
    assert assert_success(changed) == {}
    [event] = await listener.new_events()
    assert event == {
        "id": event["id"],
        "type": "user_settings",
        "op": "update",
        "property": "color_scheme",
        "value": 2,
    }
    seen = [await color_scheme_of(client, person) for person in (member, admin, guest)]
    assert seen == [2, 2, 1]


async def test_edited_settings_can_be_kept(
    client: ApiClient, admin: Person, member: Person, guest: Person
) -> None:
    assert_success(await client.patch("/settings", member, color_scheme=3))
    chosen = target(member, guest, skips=True)
    assert_success(await client.patch("/settings", admin, target_users=chosen, color_scheme=2))
    assert await color_scheme_of(client, member) == 3
    assert await color_scheme_of(client, guest) == 2


@pytest.mark.any_database
@pytest.mark.parametrize("path", ["/settings", "/settings/notifications"])
async def test_is_for_administrators(
    client: ApiClient, member: Person, guest: Person, path: str
) -> None:
    refused = await client.patch(path, member, target_users=target(guest), color_scheme=2)
    assert_error(refused, "UNAUTHORIZED_PRINCIPAL")


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"full_name": "x"}, "full_name cannot be changed for other users"),
        ({"send_read_receipts": False}, "send_read_receipts cannot be changed for other users"),
        ({"timezone": ""}, "timezone cannot be changed for other users"),
    ],
)
async def test_private_matters_are_refused(
    client: ApiClient, admin: Person, member: Person, values: dict[str, Any], message: str
) -> None:
    chosen = target(member)
    refused = await client.patch("/settings", admin, target_users=chosen, color_scheme=2, **values)
    assert assert_error(refused) == message
    assert await color_scheme_of(client, member) == 1


async def test_unknown_users_groups_and_bots_are_refused(
    client: ApiClient, admin: Person, member: Person, make_user: MakeUser
) -> None:
    bot = await make_user(bot_owner=member)
    for wrong, message in (
        (target(), "target_users: Pass user_ids or group_ids"),
        (target(bot), "target_users: Invalid user ID"),
        ({**target(), "user_ids": [4711]}, "target_users: Invalid user ID"),
        (target(member, group_ids=[4711]), "target_users: Invalid user group"),
    ):
        refused = await client.patch("/settings", admin, target_users=wrong, color_scheme=2)
        assert assert_error(refused) == message
    assert await color_scheme_of(client, member) == 1
