"""Events about custom profile fields, on both databases."""

from typing import Any

import pytest

from chatapi.features.users.profile_fields.field_types import FieldType
from tests.factories import Person
from tests.features.users.profile_fields.fields import OPTIONS, add_field, fields_of, write
from tests.support.client import ApiClient
from tests.support.listening import Listener, listen
from tests.support.responses import assert_error, assert_success

FIELDS = "/realm/profile_fields"
DATA = "/users/me/profile_data"


@pytest.fixture
async def listener(client: ApiClient, guest: Person) -> Listener:
    """A guest: gets only what all users may see."""
    return await listen(client, guest, fetch_event_types=[])


async def only_event(listener: Listener) -> dict[str, Any]:
    (event,) = await listener.new_events()
    event.pop("id")
    return event


class TestFieldEvents:
    async def test_every_change_emits_the_whole_list(
        self, client: ApiClient, admin: Person, listener: Listener
    ) -> None:
        async def assert_told() -> None:
            fields = await fields_of(client, admin)
            assert await only_event(listener) == {"type": "custom_profile_fields", "fields": fields}

        first = await add_field(client, admin, name="First")
        await assert_told()
        second = await add_field(client, admin, FieldType.DROPDOWN, "Second")
        await assert_told()
        assert_success(await client.patch(f"{FIELDS}/{first}", admin, name="Renamed"))
        await assert_told()
        assert_success(await client.patch(FIELDS, admin, order=[second, first]))
        await assert_told()
        assert_success(await client.delete(f"{FIELDS}/{first}", admin))
        await assert_told()

    @pytest.mark.any_database
    async def test_no_change_is_no_event(
        self, client: ApiClient, admin: Person, listener: Listener
    ) -> None:
        field_id = await add_field(client, admin, name="Food")
        await listener.new_events()
        assert_success(await client.patch(f"{FIELDS}/{field_id}", admin, name="Food "))
        assert_success(await client.patch(f"{FIELDS}/{field_id}", admin))
        assert_success(await client.patch(FIELDS, admin, order=[field_id]))
        assert_error(await client.patch(f"{FIELDS}/{field_id}", admin, name=""))
        assert_error(await client.delete(f"{FIELDS}/4711", admin))
        assert await listener.new_events() == []

    async def test_removed_options_are_removed_values(
        self, client: ApiClient, admin: Person, member: Person, listener: Listener
    ) -> None:
        field_id = await add_field(client, admin, FieldType.DROPDOWN, "Wine")
        await write(client, member, {field_id: "red"})
        await listener.new_events()
        options = {"white": OPTIONS["white"]}
        assert_success(await client.patch(f"{FIELDS}/{field_id}", admin, field_data=options))
        fields, value = await listener.new_events()
        assert fields["type"] == "custom_profile_fields"
        assert value["person"] == {
            "user_id": member.user_id,
            "custom_profile_field": {"id": field_id, "value": None},
        }


@pytest.mark.any_database
class TestValueEvents:
    async def test_one_event_per_changed_value(
        self, client: ApiClient, admin: Person, member: Person, listener: Listener
    ) -> None:
        food = await add_field(client, admin, name="Food")
        pronouns = await add_field(client, admin, FieldType.PRONOUNS, "Pronouns")
        await write(client, member, {pronouns: "they"})
        await listener.new_events()
        await write(client, member, {food: "*Pizza*", pronouns: "they"})
        assert await only_event(listener) == {
            "type": "realm_user",
            "op": "update",
            "person": {
                "user_id": member.user_id,
                "custom_profile_field": {
                    "id": food,
                    "value": "*Pizza*",
                    "rendered_value": "<p><em>Pizza</em></p>",
                },
            },
        }

    async def test_values_without_markdown(
        self, client: ApiClient, admin: Person, member: Person, listener: Listener
    ) -> None:
        friends = await add_field(client, admin, FieldType.USER, "Friends")
        await listener.new_events()
        await write(client, member, {friends: [int(admin.user_id)]})
        event = await only_event(listener)
        change = {"id": friends, "value": f"[{admin.user_id}]"}
        assert event["person"]["custom_profile_field"] == change

    async def test_removed_values(
        self, client: ApiClient, admin: Person, member: Person, listener: Listener
    ) -> None:
        food, drink = [await add_field(client, admin, name=name) for name in ("Food", "Drink")]
        await write(client, member, {food: "Pizza"})
        await listener.new_events()
        assert_success(await client.delete(DATA, member, data=[food, drink]))
        event = await only_event(listener)
        assert event["person"]["custom_profile_field"] == {"id": food, "value": None}

    async def test_refused_values_emit_no_event(
        self, client: ApiClient, admin: Person, member: Person, listener: Listener
    ) -> None:
        field_id = await add_field(client, admin)
        await listener.new_events()
        data = [{"id": field_id, "value": "Pizza"}, {"id": 4711, "value": "x"}]
        assert_error(await client.patch(DATA, member, data=data))
        assert await listener.new_events() == []


class TestState:
    @pytest.mark.any_database
    async def test_register_returns_fields_and_types(
        self, client: ApiClient, admin: Person, guest: Person
    ) -> None:
        await add_field(client, admin)
        told = await listen(client, guest, fetch_event_types=["custom_profile_fields"])
        assert told.state["custom_profile_fields"] == await fields_of(client, guest)
        types = told.state["custom_profile_field_types"]
        assert types["SHORT_TEXT"] == {"id": 1, "name": "Text (short)"}
        assert types["EXTERNAL_ACCOUNT"] == {"id": 7, "name": "External account"}
        assert sorted(kind["id"] for kind in types.values()) == list(range(1, 9))
