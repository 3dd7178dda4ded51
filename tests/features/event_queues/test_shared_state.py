"""State shared by many clients is cached; a registration after a change sees the change."""

from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

import pytest

from chatapi.auth.runtime import Runtime
from chatapi.features.state import all_sections
from tests.factories import MakeChannel, Person
from tests.features.emoji.adding import add_emoji
from tests.features.realm.linkifiers.linking import add_linkifier
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements

Change = Callable[[ApiClient, Person, MakeChannel], Awaitable[object]]

NEVER_CHANGES = {
    "custom_profile_field_types",
    "cross_realm_bots",
}
TESTED_ELSEWHERE = {"realm_user_settings_defaults"}
"""In tests/features/users/settings_defaults: it changes without getting longer."""


def _post(path: str, **params: object) -> Change:
    async def post(client: ApiClient, owner: Person, _make_channel: MakeChannel) -> object:
        return assert_success(await client.post(path, owner, **params))

    return post


async def _make_default(client: ApiClient, owner: Person, make_channel: MakeChannel) -> object:
    channel = await make_channel(subscribers=[owner])
    return assert_success(await client.post("/default_streams", owner, stream_id=channel.id))


_NEW_USER = _post("/users", email="new@example.com", password="Long enough 1", full_name="New")


async def _deactivate_one(client: ApiClient, owner: Person, make_channel: MakeChannel) -> object:
    added = await _NEW_USER(client, owner, make_channel)
    assert isinstance(added, dict)
    return assert_success(await client.delete(f"/users/{added['user_id']}", owner))


CHANGES: dict[str, Change] = {
    "realm_users": _NEW_USER,
    "realm_non_active_users": _deactivate_one,
    "realm_user_groups": _post("/user_groups/create", name="crew", description="", members=[]),
    "realm_emoji": lambda client, owner, _make: add_emoji(client, owner, "dot"),
    "realm_linkifiers": lambda client, owner, _make: add_linkifier(client, owner),
    "realm_filters": lambda client, owner, _make: add_linkifier(client, owner),
    "custom_profile_fields": _post("/realm/profile_fields", name="Team", field_type=1),
    "channel_folders": _post("/channel_folders/create", name="Folder", description=""),
    "realm_default_streams": _make_default,
    "realm_default_stream_groups": _post(
        "/default_stream_groups/create", group_name="Work", description="", stream_names=[]
    ),
    "realm_domains": _post("/realm/domains", domain="acme.example", allow_subdomains=True),
    "realm_playgrounds": _post(
        "/realm/playgrounds",
        name="Python",
        pygments_language="Python",
        url_template="https://example.com/{code}",
    ),
}


async def state_of(client: ApiClient, person: Person) -> dict[str, Any]:
    return assert_success(await client.post("/register", person))


@pytest.mark.parametrize("key", CHANGES)
async def test_a_change_is_seen_at_once(
    client: ApiClient, make_channel: MakeChannel, owner: Person, key: str
) -> None:
    before = await state_of(client, owner)
    assert (await state_of(client, owner))[key] == before[key]
    await CHANGES[key](client, owner, make_channel)
    assert len((await state_of(client, owner))[key]) == len(before[key]) + 1


async def test_every_cached_key_is_tested() -> None:
    shared = {
        key
        for section in all_sections()
        if section.cache_key is not None
        for key in get_type_hints(section.payload)
    }
    assert shared == CHANGES.keys() | NEVER_CHANGES | TESTED_ELSEWHERE


async def test_unchanged_state_is_not_read_again(
    client: ApiClient, runtime: Runtime, owner: Person, member: Person
) -> None:
    await state_of(client, owner)
    await state_of(client, member)
    with recorded_statements(runtime.database, "realm_emoji") as statements:
        await state_of(client, owner)
        await state_of(client, member)
    assert statements == []
