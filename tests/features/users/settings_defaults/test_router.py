"""PATCH /realm/user_settings_defaults."""

from typing import Any

import pytest

from tests.factories import MakeUser, Person
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success

PATH = "/realm/user_settings_defaults"


async def defaults_seen_by(client: ApiClient, person: Person) -> dict[str, Any]:
    wanted = ["realm_user_settings_defaults"]
    state = (await listen(client, person, fetch_event_types=wanted)).state
    defaults: dict[str, Any] = state["realm_user_settings_defaults"]
    return defaults


@pytest.mark.any_database
async def test_is_for_administrators(client: ApiClient, member: Person) -> None:
    refused = await client.patch(PATH, member, color_scheme=2)
    assert_error(refused, "UNAUTHORIZED_PRINCIPAL")
    assert_error(await client.patch(PATH, color_scheme=2), "UNAUTHORIZED", 401)
    assert (await defaults_seen_by(client, member))["color_scheme"] == 1


async def test_applies_to_new_users_only(
    client: ApiClient, admin: Person, member: Person, make_user: MakeUser
) -> None:
    listener = await listen(client, member, event_types=["realm_user_settings_defaults"])
    values = {"color_scheme": 2, "email_address_visibility": 3, "enter_sends": False}
    assert assert_success(await client.patch(PATH, admin, **values)) == {}
    told = {event["property"]: event["value"] for event in await listener.new_events()}
    assert told == {"color_scheme": 2, "email_address_visibility": 3}
    defaults = await defaults_seen_by(client, member)
    assert (defaults["color_scheme"], defaults["email_address_visibility"]) == (2, 3)
    newcomer = await make_user()
    bot = await make_user(bot_owner=member)
    for person, scheme, visibility in ((newcomer, 2, 3), (member, 1, 1), (bot, 1, 1)):
        settings = (await listen(client, person)).state["user_settings"]
        assert settings["color_scheme"] == scheme
        assert settings["email_address_visibility"] == visibility


async def test_default_of_the_service_can_be_chosen_again(client: ApiClient, admin: Person) -> None:
    assert_success(await client.patch(PATH, admin, color_scheme=2))
    assert_success(await client.patch(PATH, admin, color_scheme=1))
    assert (await defaults_seen_by(client, admin))["color_scheme"] == 1


@pytest.mark.any_database
async def test_invalid_values_change_nothing(client: ApiClient, admin: Person) -> None:
    refused = await client.patch(PATH, admin, color_scheme=9, starred_message_counts=False)
    assert "color_scheme" in assert_error(refused)
    assert (await defaults_seen_by(client, admin))["starred_message_counts"] is True
    ignored = assert_success(await client.patch(PATH, admin, full_name="x"))
    assert ignored == {"ignored_parameters_unsupported": ["full_name"]}
