"""The endpoints of custom profile fields, on both databases."""

import asyncio

import orjson
import pytest

from chatapi.core.roles import Role
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.features.users.profile_fields.rules import MAX_FIELDS
from tests.factories import MakeUser, Person
from tests.features.users.profile_fields.fields import (
    GITHUB,
    OPTIONS,
    add_field,
    fields_of,
    profile_of,
    write,
)
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success

NOT_ADMIN = "UNAUTHORIZED_PRINCIPAL"
FIELDS = "/realm/profile_fields"


@pytest.mark.any_database
class TestGetFields:
    async def test_anonymous(self, client: ApiClient, admin: Person) -> None:
        assert_error(await client.get(FIELDS), "UNAUTHORIZED", 401)

    async def test_guests_see_all_keys(
        self, client: ApiClient, admin: Person, guest: Person
    ) -> None:
        food = await add_field(client, admin, hint="Or drink", required=True)
        wine = await add_field(client, admin, FieldType.DROPDOWN, "Wine", editable_by_user=False)
        first, second = await fields_of(client, guest)
        assert first == {
            "id": food,
            "type": 1,
            "order": 1,
            "name": "Favourite food",
            "hint": "Or drink",
            "field_data": "",
            "display_in_profile_summary": False,
            "required": True,
            "editable_by_user": True,
            "use_for_user_matching": False,
        }
        assert second["id"] == wine
        assert second["order"] == 2
        assert orjson.loads(second["field_data"]) == OPTIONS
        assert second["editable_by_user"] is False

    async def test_ignored_parameter(self, client: ApiClient, admin: Person) -> None:
        response = assert_success(await client.get(FIELDS, admin, colour="red"))
        assert response == {"custom_fields": [], "ignored_parameters_unsupported": ["colour"]}


class TestCreateField:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, admin: Person) -> None:
        assert_error(await client.post(FIELDS, field_type=1, name="x"), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_missing_type(self, client: ApiClient, admin: Person) -> None:
        message = assert_error(await client.post(FIELDS, admin, name="x"))
        assert message == "Missing 'field_type' argument"

    @pytest.mark.any_database
    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER, Role.GUEST])
    async def test_forbidden(self, client: ApiClient, make_user: MakeUser, role: Role) -> None:
        person = await make_user(role)
        assert_error(await client.post(FIELDS, person, field_type=1, name="x"), NOT_ADMIN)

    @pytest.mark.any_database
    async def test_ignored_parameter(self, client: ApiClient, admin: Person) -> None:
        response = await client.post(FIELDS, admin, field_type=1, name="x", order=7)
        assert assert_success(response)["ignored_parameters_unsupported"] == ["order"]

    @pytest.mark.any_database
    @pytest.mark.parametrize("field_type", FieldType)
    async def test_every_type(
        self, client: ApiClient, admin: Person, field_type: FieldType
    ) -> None:
        field_id = await add_field(client, admin, field_type, "Name")
        (field,) = await fields_of(client, admin)
        assert (field["id"], field["type"], field["name"]) == (field_id, field_type, "Name")

    @pytest.mark.any_database
    @pytest.mark.parametrize("field_type", ["0", "9", '"1"', "1.5", "true", "null", "x", ""])
    async def test_unknown_type(self, client: ApiClient, admin: Person, field_type: str) -> None:
        response = await client.post(FIELDS, admin, field_type=field_type, name="x")
        assert "field_type" in assert_error(response)

    @pytest.mark.any_database
    async def test_name_of_a_known_site(self, client: ApiClient, admin: Person) -> None:
        await add_field(client, admin, FieldType.EXTERNAL_ACCOUNT, "", field_data=GITHUB)
        (field,) = await fields_of(client, admin)
        assert field["name"] == "GitHub username"

    @pytest.mark.any_database
    async def test_texts_are_trimmed(self, client: ApiClient, admin: Person) -> None:
        await add_field(client, admin, name="  Food ", hint=" Or drink\t")
        (field,) = await fields_of(client, admin)
        assert (field["name"], field["hint"]) == ("Food", "Or drink")

    async def test_name_is_taken_in_any_case(self, client: ApiClient, admin: Person) -> None:
        await add_field(client, admin, name="Übung")
        response = await client.post(FIELDS, admin, field_type=2, name=" ÜBUNG ")
        assert assert_error(response) == "A field with that name already exists."

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "complaint"),
        [
            ({"name": ""}, "name cannot be empty"),
            ({"name": " \t "}, "name cannot be empty"),
            ({"name": "x" * 41}, "name is too long (limit: 40 characters)"),
            ({"name": "a\nb"}, "name contains invalid characters"),
            ({"hint": "x" * 81}, "hint is too long (limit: 80 characters)"),
            ({"hint": "a\x07b"}, "hint contains invalid characters"),
            ({"required": "yes"}, 'Argument "required" is not valid JSON.'),
            ({"required": 1}, "required is not a boolean"),
            ({"field_data": []}, "field_data is not a dict"),
            ({"field_data": {"a": 1}}, "field_data is not supported for this type of field"),
        ],
    )
    async def test_refused(
        self, client: ApiClient, admin: Person, params: dict[str, object], complaint: str
    ) -> None:
        response = await client.post(FIELDS, admin, **{"field_type": 1, "name": "Food", **params})
        assert assert_error(response) == complaint
        assert await fields_of(client, admin) == []

    @pytest.mark.any_database
    async def test_only_two_in_the_summary(self, client: ApiClient, admin: Person) -> None:
        for name in ("One", "Two"):
            await add_field(client, admin, name=name, display_in_profile_summary=True)
        response = await client.post(
            FIELDS, admin, field_type=1, name="Three", display_in_profile_summary=True
        )
        assert "profile summary" in assert_error(response)

    async def test_of_several_at_once_one_gets_the_name(
        self, client: ApiClient, admin: Person
    ) -> None:
        responses = await asyncio.gather(
            *(client.post(FIELDS, admin, field_type=1, name="Food") for _ in range(5))
        )
        assert sorted(response.status for response in responses) == [200, 400, 400, 400, 400]
        assert len(await fields_of(client, admin)) == 1

    @pytest.mark.any_database
    async def test_number_is_limited(self, client: ApiClient, admin: Person) -> None:
        for number in range(MAX_FIELDS):
            await add_field(client, admin, name=f"Field {number}")
        response = await client.post(FIELDS, admin, field_type=1, name="One too many")
        assert str(MAX_FIELDS) in assert_error(response)


class TestChangeField:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, admin: Person) -> None:
        field_id = await add_field(client, admin)
        response = await client.patch(f"{FIELDS}/{field_id}", name="x")
        assert_error(response, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_forbidden(self, client: ApiClient, admin: Person, member: Person) -> None:
        field_id = await add_field(client, admin)
        assert_error(await client.patch(f"{FIELDS}/{field_id}", member, name="x"), NOT_ADMIN)

    @pytest.mark.any_database
    async def test_changes_what_is_passed(self, client: ApiClient, admin: Person) -> None:
        field_id = await add_field(client, admin, hint="Or drink", required=True)
        (before,) = await fields_of(client, admin)
        response = await client.patch(
            f"{FIELDS}/{field_id}", admin, name="Food", editable_by_user=False, field_type=2
        )
        assert assert_success(response) == {"ignored_parameters_unsupported": ["field_type"]}
        (after,) = await fields_of(client, admin)
        assert after == {**before, "name": "Food", "editable_by_user": False}

    @pytest.mark.any_database
    async def test_hint_can_be_emptied(self, client: ApiClient, admin: Person) -> None:
        field_id = await add_field(client, admin, hint="Or drink")
        assert_success(await client.patch(f"{FIELDS}/{field_id}", admin, hint=""))
        (field,) = await fields_of(client, admin)
        assert field["hint"] == ""

    @pytest.mark.any_database
    async def test_keeps_its_own_name_and_place(self, client: ApiClient, admin: Person) -> None:
        field_id = await add_field(client, admin, name="Food", display_in_profile_summary=True)
        await add_field(client, admin, name="Drink", display_in_profile_summary=True)
        assert_success(await client.patch(f"{FIELDS}/{field_id}", admin, name="FOOD"))
        response = await client.patch(f"{FIELDS}/{field_id}", admin, name="drink")
        assert assert_error(response) == "A field with that name already exists."

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "complaint"),
        [
            ({"name": " "}, "name cannot be empty"),
            ({"field_data": {}}, "field_data has too few entries (at least: 1)"),
            ({"use_for_user_matching": True}, "use_for_user_matching is not supported"),
        ],
    )
    async def test_refused(
        self, client: ApiClient, admin: Person, params: dict[str, object], complaint: str
    ) -> None:
        field_id = await add_field(client, admin, FieldType.DROPDOWN, "Wine")
        response = await client.patch(f"{FIELDS}/{field_id}", admin, **params)
        assert assert_error(response).startswith(complaint)

    @pytest.mark.any_database
    async def test_unknown_field(self, client: ApiClient, admin: Person) -> None:
        response = await client.patch(f"{FIELDS}/4711", admin, name="x")
        assert assert_error(response) == "Field id 4711 not found."

    async def test_removed_options_leave_no_values(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        field_id = await add_field(client, admin, FieldType.DROPDOWN, "Wine")
        await write(client, member, {field_id: "red"})
        await write(client, admin, {field_id: "white"})
        options = {"white": OPTIONS["white"], "rosé": {"text": "Rosé", "order": "1"}}
        assert_success(await client.patch(f"{FIELDS}/{field_id}", admin, field_data=options))
        assert await profile_of(client, member) == {}
        assert await profile_of(client, admin) == {str(field_id): {"value": "white"}}


class TestReorderFields:
    async def test_anonymous(self, client: ApiClient, admin: Person) -> None:
        assert_error(await client.patch(FIELDS, order=[]), "UNAUTHORIZED", 401)

    async def test_missing_order(self, client: ApiClient, admin: Person) -> None:
        message = assert_error(await client.patch(FIELDS, admin))
        assert message == "Missing 'order' argument"

    async def test_forbidden(self, client: ApiClient, admin: Person, member: Person) -> None:
        assert_error(await client.patch(FIELDS, member, order=[]), NOT_ADMIN)

    async def test_moves_fields(self, client: ApiClient, admin: Person) -> None:
        ids = [await add_field(client, admin, name=name) for name in ("One", "Two", "Three")]
        response = await client.patch(FIELDS, admin, order=[ids[2], ids[0], ids[1]], extra="x")
        assert assert_success(response) == {"ignored_parameters_unsupported": ["extra"]}
        fields = await fields_of(client, admin)
        assert [(field["order"], field["name"]) for field in fields] == [
            (1, "Three"),
            (2, "One"),
            (3, "Two"),
        ]

    async def test_a_new_field_comes_last(self, client: ApiClient, admin: Person) -> None:
        ids = [await add_field(client, admin, name=name) for name in ("One", "Two")]
        assert_success(await client.patch(FIELDS, admin, order=ids[::-1]))
        await add_field(client, admin, name="Three")
        names = [field["name"] for field in await fields_of(client, admin)]
        assert names == ["Two", "One", "Three"]

    @pytest.mark.parametrize("order", [[], [0], [0, 0], [0, 1, 1], [0, 1, 99]])
    async def test_must_name_each_field_once(
        self, client: ApiClient, admin: Person, order: list[int]
    ) -> None:
        ids = [await add_field(client, admin, name=name) for name in ("One", "Two")]
        passed = [ids[index] if index < 2 else index for index in order]
        assert_error(await client.patch(FIELDS, admin, order=passed))
        assert [field["id"] for field in await fields_of(client, admin)] == ids


class TestDeleteField:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, admin: Person) -> None:
        field_id = await add_field(client, admin)
        assert_error(await client.delete(f"{FIELDS}/{field_id}"), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_forbidden(self, client: ApiClient, admin: Person, member: Person) -> None:
        field_id = await add_field(client, admin)
        assert_error(await client.delete(f"{FIELDS}/{field_id}", member), NOT_ADMIN)

    @pytest.mark.any_database
    async def test_unknown_field(self, client: ApiClient, admin: Person) -> None:
        message = assert_error(await client.delete(f"{FIELDS}/4711", admin))
        assert message == "Field id 4711 not found."

    async def test_deletes_the_values(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        field_id = await add_field(client, admin)
        await write(client, member, {field_id: "Pizza"})
        assert await profile_of(client, member) != {}
        response = await client.delete(f"{FIELDS}/{field_id}", admin, extra="x")
        assert assert_success(response) == {"ignored_parameters_unsupported": ["extra"]}
        assert await fields_of(client, member) == []
        assert await profile_of(client, member) == {}
