"""State shared by many clients is cached; a registration after a change sees the change."""

from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.system_groups import SystemGroup
from chatapi.events.cache_tags import SharedSectionTag
from chatapi.events.event import registry
from chatapi.features.state import all_sections
from tests.factories import MakeChannel, Person
from tests.features.emoji.adding import add_emoji
from tests.features.realm.linkifiers.linking import add_linkifier
from tests.features.realm.settings import allow, change_realm
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.statements import recorded_statements

Change = Callable[[ApiClient, Person, MakeChannel], Awaitable[object]]

NEVER_CHANGES = {
    "custom_profile_field_types",
    "cross_realm_bots",
}
OF_REALM = frozenset({"realm"})
"""The type of sections that show the realm's own record, which each change of it replaces."""
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
    "user_status": _post("/users/me/status", status_text="away"),
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


REALM_CHANGES: dict[str, dict[str, object]] = {
    "realm_description": {"description": "Other"},
    "realm_mandatory_topics": {"topics_policy": "disable_empty_topic"},
    "realm_allow_edit_history": {"message_edit_history_visibility_policy": "none"},
    "jitsi_server_url": {"jitsi_server_url": "https://jitsi.example.com"},
}


@pytest.mark.parametrize("key", REALM_CHANGES)
async def test_a_change_of_the_realm_is_seen_at_once(
    client: ApiClient, owner: Person, member: Person, key: str
) -> None:
    before = await state_of(client, owner)
    await change_realm(client, owner, **REALM_CHANGES[key])
    after = await state_of(client, owner)
    assert after[key] != before[key]
    assert (await state_of(client, member))[key] == after[key]


async def test_a_change_of_who_may_create_channels_is_seen_at_once(
    client: ApiClient, realm: RealmRecord, owner: Person
) -> None:
    before = await state_of(client, owner)
    await allow(client, owner, realm, can_create_public_channel_group=SystemGroup.ADMINISTRATORS)
    after = await state_of(client, owner)
    keys = ("realm_can_create_public_channel_group", "realm_create_public_stream_policy")
    assert all(after[key] != before[key] for key in keys)


async def test_every_cached_key_is_tested() -> None:
    shared = {
        key
        for section in all_sections()
        if section.cache_key is not None and section.fetch_types != OF_REALM
        for key in get_type_hints(section.payload)
    }
    assert shared == CHANGES.keys() | NEVER_CHANGES | TESTED_ELSEWHERE


@pytest.mark.any_database
async def test_unchanged_state_is_not_read_again(
    client: ApiClient, runtime: Runtime, owner: Person, member: Person
) -> None:
    await state_of(client, owner)
    await state_of(client, member)
    with recorded_statements(runtime.database, "realm_emoji") as statements:
        await state_of(client, owner)
        await state_of(client, member)
    assert statements == []


async def _join(client: ApiClient, member: Person, make_channel: MakeChannel) -> object:
    channel = await make_channel()
    subscriptions = [{"name": channel.name}]
    return assert_success(
        await client.post("/users/me/subscriptions", member, subscriptions=subscriptions)
    )


async def _change_setting(client: ApiClient, member: Person, _make: MakeChannel) -> object:
    return assert_success(await client.patch("/settings", member, high_contrast_mode=True))


async def _regenerate_key(client: ApiClient, member: Person, _make: MakeChannel) -> object:
    return assert_success(await client.post("/users/me/api_key/regenerate", member))


async def _create_channel(_client: ApiClient, _member: Person, make_channel: MakeChannel) -> object:
    return await make_channel()


async def _create_group(client: ApiClient, member: Person, _make: MakeChannel) -> object:
    group = {"name": "crew", "description": "", "members": [member.user_id]}
    return assert_success(await client.post("/user_groups/create", member, **group))


OTHERS = [_join, _change_setting, _regenerate_key, _create_channel, _create_group]
"""What users do often, and what changes no list of users."""
_READS_USERS = "profile_value"
"""The table that is read with all users of a realm, and else with a single one."""


async def users_for(client: ApiClient, reader: Person) -> list[dict[str, Any]]:
    answer = assert_success(await client.get("/users", reader, include_custom_profile_fields=True))
    members: list[dict[str, Any]] = answer["members"]
    return members


@pytest.mark.any_database
@pytest.mark.parametrize("act", OTHERS, ids=lambda act: act.__name__.strip("_"))
async def test_users_are_not_read_again_after_something_else_changed(
    client: ApiClient,
    runtime: Runtime,
    make_channel: MakeChannel,
    owner: Person,
    member: Person,
    act: Change,
) -> None:
    state = await state_of(client, owner)
    users = await users_for(client, owner)
    await act(client, member, make_channel)
    with recorded_statements(runtime.database, _READS_USERS) as statements:
        assert (await state_of(client, owner))["realm_users"] == state["realm_users"]
        assert await users_for(client, owner) == users
    assert statements == []


async def test_change_of_a_user_is_seen_at_once_in_lists(
    client: ApiClient, owner: Person, member: Person
) -> None:
    async def names() -> list[list[str]]:
        lists = (await state_of(client, owner))["realm_users"], await users_for(client, owner)
        return [[user["full_name"] for user in users] for users in lists]

    assert await names() == [[owner.full_name, member.full_name]] * 2
    assert_success(await client.patch("/settings", member, full_name="Another Name"))
    assert await names() == [[owner.full_name, "Another Name"]] * 2


@pytest.mark.any_database
async def test_readers_who_see_different_addresses_share_no_list(
    client: ApiClient, owner: Person, member: Person
) -> None:
    only_admins = 3
    assert_success(await client.patch("/settings", member, email_address_visibility=only_admins))

    async def address_of_member(reader: Person) -> str | None:
        by_id = {user["user_id"]: user for user in await users_for(client, reader)}
        address: str | None = by_id[member.user_id]["delivery_email"]
        return address

    for _ in range(2):
        assert await address_of_member(owner) == member.email
        assert await address_of_member(member) == member.email


async def test_event_names_only_sections_that_are_shared() -> None:
    shared = {
        fetch_type
        for section in all_sections()
        if section.cache_key is not None
        for fetch_type in section.fetch_types
    }
    named = {
        tag.fetch_type
        for event in registry.values()
        for tag in event.cache_tags
        if isinstance(tag, SharedSectionTag)
    }
    assert named <= shared
