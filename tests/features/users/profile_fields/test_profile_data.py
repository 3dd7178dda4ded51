"""The endpoints of one's own profile, on both databases."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.features.users.profile_fields.field_types import FieldType
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.users.profile_fields.fields import add_field, fields_of, profile_of, write
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success

DATA = "/users/me/profile_data"


class TestSetProfileData:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, admin: Person) -> None:
        assert_error(await client.patch(DATA, data=[]), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_missing_data(self, client: ApiClient, member: Person) -> None:
        assert assert_error(await client.patch(DATA, member)) == "Missing 'data' argument"

    @pytest.mark.any_database
    async def test_guests_may(self, client: ApiClient, admin: Person, guest: Person) -> None:
        field_id = await add_field(client, admin)
        data = [{"id": field_id, "value": "*Pizza*"}]
        response = await client.patch(DATA, guest, data=data, extra="x")
        assert assert_success(response) == {"ignored_parameters_unsupported": ["extra"]}
        assert await profile_of(client, guest) == {
            str(field_id): {"value": "*Pizza*", "rendered_value": "<p><em>Pizza</em></p>"}
        }

    @pytest.mark.any_database
    async def test_others_see_it(self, client: ApiClient, admin: Person, member: Person) -> None:
        field_id = await add_field(client, admin)
        await write(client, member, {field_id: "Pizza"})
        response = await client.get(
            f"/users/{member.user_id}", admin, include_custom_profile_fields=True
        )
        user = assert_success(response)["user"]
        assert user["profile_data"][str(field_id)]["value"] == "Pizza"

    async def test_values_can_be_replaced_and_removed(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        food = await add_field(client, admin, name="Food")
        pronouns = await add_field(client, admin, FieldType.PRONOUNS, "Pronouns")
        friends = await add_field(client, admin, FieldType.USER, "Friends")
        await write(
            client, member, {food: "Pizza", pronouns: "they", friends: [int(admin.user_id)]}
        )
        await write(client, member, {food: "Pasta", pronouns: None, friends: []})
        profile = await profile_of(client, member)
        assert {key: entry["value"] for key, entry in profile.items()} == {str(food): "Pasta"}
        await write(client, member, {food: "  "})
        assert await profile_of(client, member) == {}

    @pytest.mark.any_database
    async def test_all_or_nothing(self, client: ApiClient, admin: Person, member: Person) -> None:
        food = await add_field(client, admin, name="Food")
        birthday = await add_field(client, admin, FieldType.DATE, "Birthday")
        data = [{"id": food, "value": "Pizza"}, {"id": birthday, "value": "soon"}]
        assert assert_error(await client.patch(DATA, member, data=data)).startswith("Birthday ")
        assert await profile_of(client, member) == {}

    async def test_only_administrators_write_into_locked_fields(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        field_id = await add_field(client, admin, name="Team", editable_by_user=False)
        data = [{"id": field_id, "value": "Blue"}]
        message = assert_error(await client.patch(DATA, member, data=data))
        assert message == "Team can only be changed by an administrator."
        await write(client, admin, {field_id: "Blue"})

    @pytest.mark.any_database
    async def test_bots_have_no_profile(
        self, client: ApiClient, admin: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=admin)
        assert assert_error(await client.patch(DATA, bot, data=[])) == "Bots have no profile."

    @pytest.mark.any_database
    async def test_unknown_field(self, client: ApiClient, member: Person) -> None:
        response = await client.patch(DATA, member, data=[{"id": 4711, "value": "x"}])
        assert assert_error(response) == "Field id 4711 not found."

    async def test_a_field_twice(self, client: ApiClient, admin: Person, member: Person) -> None:
        field_id = await add_field(client, admin)
        data = [{"id": field_id, "value": "Pizza"}, {"id": field_id, "value": "Pasta"}]
        message = assert_error(await client.patch(DATA, member, data=data))
        assert message == f"Field id {field_id} is passed twice."

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "data",
        [
            "x",
            "{}",
            "null",
            [1],
            [{}],
            [{"id": 1}],
            [{"value": "x"}],
            [{"id": "1", "value": "x"}],
            [{"id": 1, "value": 5}],
            [{"id": 1, "value": {"a": 1}}],
            [{"id": 1, "value": ["1"]}],
            [{"id": 1, "value": "x", "extra": 1}],
            [{"id": 1, "value": [True]}],
            [{"id": 1, "value": [2**63]}],
            [{"id": 2**63, "value": "x"}],
            [{"id": 1, "value": "\0"}],
        ],
    )
    async def test_malformed_data(self, client: ApiClient, member: Person, data: object) -> None:
        assert "data" in assert_error(await client.patch(DATA, member, data=data))

    @pytest.mark.any_database
    async def test_users_in_values_must_be_active_humans_of_the_realm(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        admin: Person,
        member: Person,
        make_user: MakeUser,
    ) -> None:
        field_id = await add_field(client, admin, FieldType.USER, "Friends")
        bot = await make_user(bot_owner=admin)
        gone = await make_user()
        await deactivate(runtime, realm, gone)
        for user_id in (bot.user_id, gone.user_id, 4711):
            data = [{"id": field_id, "value": [int(admin.user_id), user_id]}]
            message = assert_error(await client.patch(DATA, member, data=data))
            assert message == f"Friends: Invalid user ID: {user_id}"


@pytest.mark.any_database
class TestRemoveProfileData:
    async def test_anonymous(self, client: ApiClient, admin: Person) -> None:
        assert_error(await client.delete(DATA, data=[]), "UNAUTHORIZED", 401)

    async def test_missing_data(self, client: ApiClient, member: Person) -> None:
        assert assert_error(await client.delete(DATA, member)) == "Missing 'data' argument"

    async def test_removes_some(self, client: ApiClient, admin: Person, member: Person) -> None:
        food, drink = [await add_field(client, admin, name=name) for name in ("Food", "Drink")]
        await write(client, member, {food: "Pizza", drink: "Water"})
        response = await client.delete(DATA, member, data=[food], extra="x")
        assert assert_success(response) == {"ignored_parameters_unsupported": ["extra"]}
        assert list(await profile_of(client, member)) == [str(drink)]

    async def test_nothing_to_remove(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        field_id = await add_field(client, admin)
        assert_success(await client.delete(DATA, member, data=[field_id]))

    async def test_refused(self, client: ApiClient, admin: Person, make_user: MakeUser) -> None:
        member = await make_user()
        bot = await make_user(bot_owner=member)
        locked = await add_field(client, admin, name="Team", editable_by_user=False)
        for person, data in ((member, [locked]), (member, [4711]), (bot, [])):
            assert_error(await client.delete(DATA, person, data=data))
        assert_error(await client.delete(DATA, admin, data=[locked, locked]))


@dataclass(frozen=True)
class Elsewhere:
    """Another realm on the same server, with a field and a user who filled it in."""

    client: ApiClient
    admin: Person
    field_id: int


@pytest.mark.any_database
class TestOtherOrganizations:
    """What belongs to another realm is as unknown as what never existed."""

    @pytest.fixture
    async def here(self, app: ChatApp, realm: RealmRecord) -> AsyncIterator[ApiClient]:
        client = ApiClient(app, f"{realm.subdomain}.localhost")
        yield client
        await client.aclose()

    @pytest.fixture
    async def elsewhere(
        self, app: ChatApp, runtime: Runtime, realm: RealmRecord
    ) -> AsyncIterator[Elsewhere]:
        other = await factories.make_realm(runtime, "Other")
        admin = await factories.make_user(runtime, other, Role.ADMIN)
        client = ApiClient(app, "other.localhost")
        field_id = await add_field(client, admin, name="Food")
        await write(client, admin, {field_id: "Pizza"})
        yield Elsewhere(client, admin, field_id)
        await client.aclose()

    async def test_fields_are_unknown(
        self, here: ApiClient, elsewhere: Elsewhere, admin: Person
    ) -> None:
        field_id = elsewhere.field_id
        path = f"/realm/profile_fields/{field_id}"
        refusals = [
            await here.patch(path, admin, name="Mine"),
            await here.delete(path, admin),
            await here.patch(DATA, admin, data=[{"id": field_id, "value": "x"}]),
            await here.delete(DATA, admin, data=[field_id]),
        ]
        for response in refusals:
            assert assert_error(response) == f"Field id {field_id} not found."
        assert_error(await here.patch("/realm/profile_fields", admin, order=[field_id]))
        assert await fields_of(here, admin) == []
        (field,) = await fields_of(elsewhere.client, elsewhere.admin)
        assert field["name"] == "Food"
        assert await profile_of(elsewhere.client, elsewhere.admin) != {}

    async def test_names_are_free(
        self, here: ApiClient, elsewhere: Elsewhere, admin: Person
    ) -> None:
        await add_field(here, admin, name="Food")

    async def test_users_are_unknown(
        self, here: ApiClient, elsewhere: Elsewhere, admin: Person
    ) -> None:
        field_id = await add_field(here, admin, FieldType.USER, "Friends")
        stranger = int(elsewhere.admin.user_id)
        response = await here.patch(DATA, admin, data=[{"id": field_id, "value": [stranger]}])
        assert assert_error(response) == f"Friends: Invalid user ID: {stranger}"
