"""The endpoints of users, on both databases."""

from collections.abc import AsyncIterator
from urllib.parse import quote

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import EmailVisibility, Role
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.features.users.people import gravatar, hide_email, made_up_email, user_seen_by
from tests.features.users.profile_fields.fields import add_field, write
from tests.support.account_changes import deactivate
from tests.support.client import ApiClient
from tests.support.realm_settings import set_realm_settings
from tests.support.responses import assert_error, assert_success

ROLES = [
    (Role.OWNER, True, True, False),
    (Role.ADMIN, False, True, False),
    (Role.MODERATOR, False, False, False),
    (Role.MEMBER, False, False, False),
    (Role.GUEST, False, False, True),
]


class TestGetUsers:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, member: Person) -> None:
        assert_error(await client.get("/users"), "UNAUTHORIZED", 401)

    async def test_all_users_in_order_of_ids(
        self, client: ApiClient, guest: Person, make_user: MakeUser
    ) -> None:
        others = [await make_user() for _ in range(3)]
        response = assert_success(await client.get("/users", guest, sort="name"))
        assert response["ignored_parameters_unsupported"] == ["sort"]
        ids = [user["user_id"] for user in response["members"]]
        assert ids == sorted([guest.user_id, *(other.user_id for other in others)])

    @pytest.mark.any_database
    async def test_all_keys(self, client: ApiClient, make_user: MakeUser) -> None:
        iago = await make_user(Role.ADMIN, email="Iago@Example.com", full_name="Iago")
        assert await user_seen_by(client, iago, iago) == {
            "user_id": iago.user_id,
            "delivery_email": "Iago@Example.com",
            "email": "Iago@Example.com",
            "full_name": "Iago",
            "date_joined": "2026-03-01T12:00:00+00:00",
            "is_active": True,
            "is_owner": False,
            "is_admin": True,
            "is_guest": False,
            "is_bot": False,
            "bot_type": None,
            "bot_owner_id": None,
            "role": 200,
            "timezone": "",
            "avatar_url": None,
            "avatar_version": 1,
            "is_imported_stub": False,
        }

    @pytest.mark.any_database
    @pytest.mark.parametrize(("role", "is_owner", "is_admin", "is_guest"), ROLES)
    async def test_roles(
        self,
        client: ApiClient,
        member: Person,
        make_user: MakeUser,
        role: Role,
        is_owner: bool,
        is_admin: bool,
        is_guest: bool,
    ) -> None:
        user = await user_seen_by(client, await make_user(role), member)
        flags = (user["role"], user["is_owner"], user["is_admin"], user["is_guest"])
        assert flags == (role, is_owner, is_admin, is_guest)

    @pytest.mark.any_database
    async def test_deactivated_users_are_listed(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, admin: Person, member: Person
    ) -> None:
        await deactivate(runtime, realm, member)
        assert (await user_seen_by(client, member, admin))["is_active"] is False

    @pytest.mark.any_database
    async def test_bots(self, client: ApiClient, member: Person, make_user: MakeUser) -> None:
        bot = await make_user(bot_owner=member)
        seen = await user_seen_by(client, bot, member, include_custom_profile_fields=True)
        assert (seen["is_bot"], seen["bot_type"], seen["bot_owner_id"]) == (
            True,
            1,
            member.user_id,
        )
        assert "profile_data" not in seen

    @pytest.mark.any_database
    async def test_some_users(
        self, client: ApiClient, member: Person, admin: Person, guest: Person
    ) -> None:
        wanted = [int(guest.user_id), int(admin.user_id), int(guest.user_id), 4711]
        response = assert_success(await client.get("/users", member, user_ids=wanted))
        ids = [user["user_id"] for user in response["members"]]
        assert ids == sorted([admin.user_id, guest.user_id])

    @pytest.mark.any_database
    async def test_no_users(self, client: ApiClient, member: Person) -> None:
        assert assert_success(await client.get("/users", member, user_ids=[]))["members"] == []

    @pytest.mark.any_database
    @pytest.mark.parametrize("user_ids", ["x", "{}", "7", '["7"]', "[1.5]", "[-1]", "[true]"])
    async def test_malformed_ids(self, client: ApiClient, member: Person, user_ids: str) -> None:
        assert "user_ids" in assert_error(await client.get("/users", member, user_ids=user_ids))

    @pytest.mark.any_database
    async def test_profiles_on_request_only(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        field_id = await add_field(client, admin)
        await write(client, member, {field_id: "Pizza"})
        assert "profile_data" not in await user_seen_by(client, member, admin)
        for user_ids in (None, [int(member.user_id), int(admin.user_id)]):
            wanted: dict[str, object] = {} if user_ids is None else {"user_ids": user_ids}
            wanted["include_custom_profile_fields"] = True
            seen = await user_seen_by(client, member, admin, **wanted)
            assert seen["profile_data"] == {
                str(field_id): {"value": "Pizza", "rendered_value": "<p>Pizza</p>"}
            }
            assert (await user_seen_by(client, admin, admin, **wanted))["profile_data"] == {}

    @pytest.mark.any_database
    async def test_client_gravatar(self, client: ApiClient, admin: Person, member: Person) -> None:
        computed = await user_seen_by(client, member, admin, client_gravatar=False)
        assert computed["avatar_url"] == gravatar(member.email)
        await hide_email(client, member, EmailVisibility.NOBODY)
        hidden = await user_seen_by(client, member, admin, client_gravatar=True)
        assert hidden["avatar_url"] == gravatar(made_up_email(member))


class TestPublicAccess:
    """GET /users without an account, in realms with spectator access."""

    @pytest.fixture(autouse=True)
    async def open_organization(self, runtime: Runtime, realm: RealmRecord) -> None:
        await set_realm_settings(runtime, realm, enable_spectator_access=True)

    @pytest.mark.any_database
    async def test_email_addresses_of_humans_are_hidden(
        self, client: ApiClient, member: Person
    ) -> None:
        seen = await user_seen_by(client, member, None)
        assert seen["full_name"] == member.full_name
        assert seen["delivery_email"] is None
        assert seen["email"] == made_up_email(member)
        assert seen["avatar_url"] == gravatar(made_up_email(member))

    @pytest.mark.any_database
    async def test_bots_hide_nothing(
        self, client: ApiClient, member: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=member)
        seen = await user_seen_by(client, bot, None)
        assert (seen["delivery_email"], seen["email"]) == (bot.email, bot.email)

    @pytest.mark.any_database
    async def test_no_profiles(self, client: ApiClient, admin: Person) -> None:
        await write(client, admin, {await add_field(client, admin): "Pizza"})
        seen = await user_seen_by(client, admin, None, include_custom_profile_fields=True)
        assert "profile_data" not in seen

    @pytest.mark.any_database
    async def test_wrong_key_is_refused(self, client: ApiClient, member: Person) -> None:
        impostor = Person(member.user_id, member.email, "wrong")
        assert_error(await client.get("/users", impostor), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_only_the_list_is_open(self, client: ApiClient, member: Person) -> None:
        for path in (f"/users/{member.user_id}", f"/users/{member.email}", "/users/me"):
            assert_error(await client.get(path), "UNAUTHORIZED", 401)

    async def test_turning_it_off_takes_effect_at_once(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        assert_success(await client.get("/users"))
        await set_realm_settings(runtime, realm, enable_spectator_access=False)
        assert_error(await client.get("/users"), "UNAUTHORIZED", 401)


@pytest.mark.any_database
class TestGetUser:
    async def test_anonymous(self, client: ApiClient, member: Person) -> None:
        assert_error(await client.get(f"/users/{member.user_id}"), "UNAUTHORIZED", 401)

    async def test_one_user(self, client: ApiClient, admin: Person, member: Person) -> None:
        response = assert_success(await client.get(f"/users/{member.user_id}", admin, user_ids=[]))
        assert response["ignored_parameters_unsupported"] == ["user_ids"]
        assert response["user"] == await user_seen_by(client, member, admin)

    async def test_with_profile_and_picture(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        params = {"include_custom_profile_fields": True, "client_gravatar": False}
        response = await client.get(f"/users/{member.user_id}", admin, **params)
        user = assert_success(response)["user"]
        assert user["profile_data"] == {}
        assert user["avatar_url"] == gravatar(member.email)

    @pytest.mark.parametrize("user_id", ["4711", str(2**63), "-1", "0"])
    async def test_unknown(self, client: ApiClient, member: Person, user_id: str) -> None:
        assert_error(await client.get(f"/users/{user_id}", member))

    async def test_malformed_parameter(self, client: ApiClient, member: Person) -> None:
        response = await client.get(f"/users/{member.user_id}", member, client_gravatar="yes")
        assert assert_error(response) == 'Argument "client_gravatar" is not valid JSON.'


class TestGetUserByEmail:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, member: Person) -> None:
        assert_error(await client.get(f"/users/{member.email}"), "UNAUTHORIZED", 401)

    async def test_in_any_case(self, client: ApiClient, guest: Person, member: Person) -> None:
        response = await client.get(f"/users/{member.email.upper()}", guest)
        assert assert_success(response)["user"]["user_id"] == member.user_id

    @pytest.mark.any_database
    async def test_by_api_email(self, client: ApiClient, guest: Person, member: Person) -> None:
        await hide_email(client, member, EmailVisibility.NOBODY)
        response = await client.get(f"/users/{made_up_email(member)}", guest)
        assert assert_success(response)["user"]["user_id"] == member.user_id

    @pytest.mark.any_database
    async def test_hidden_addresses_are_unknown(
        self, client: ApiClient, admin: Person, guest: Person, member: Person
    ) -> None:
        """The response is identical to the one for an address without an account."""
        await hide_email(client, member, EmailVisibility.ADMINS)
        hidden = await client.get(f"/users/{member.email}", guest)
        unknown = await client.get("/users/nobody@example.com", guest)
        assert assert_error(hidden) == assert_error(unknown)
        assert hidden.body == unknown.body
        assert_success(await client.get(f"/users/{member.email}", admin))
        assert_success(await client.get(f"/users/{member.email}", member))

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "email", ["nobody", "user4711@acme.localhost", f"user{'9' * 30}@acme.localhost", "a\0b@c.d"]
    )
    async def test_unknown(self, client: ApiClient, member: Person, email: str) -> None:
        assert_error(await client.get(f"/users/{quote(email)}", member))


class TestGetOwnUser:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, member: Person) -> None:
        assert_error(await client.get("/users/me"), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_all_keys(self, client: ApiClient, make_user: MakeUser) -> None:
        iago = await make_user(Role.OWNER, email="iago@example.com", full_name="Iago")
        response = assert_success(await client.get("/users/me", iago, client_gravatar=True))
        assert response == {
            "user_id": iago.user_id,
            "delivery_email": "iago@example.com",
            "email": "iago@example.com",
            "full_name": "Iago",
            "date_joined": "2026-03-01T12:00:00+00:00",
            "is_active": True,
            "is_owner": True,
            "is_admin": True,
            "is_guest": False,
            "is_bot": False,
            "role": 100,
            "timezone": "",
            "avatar_url": gravatar("iago@example.com"),
            "avatar_version": 1,
            "is_imported_stub": False,
            "max_message_id": -1,
            "profile_data": {},
            "ignored_parameters_unsupported": ["client_gravatar"],
        }

    @pytest.mark.any_database
    async def test_hidden_address_is_shown_to_oneself(
        self, client: ApiClient, member: Person
    ) -> None:
        await hide_email(client, member, EmailVisibility.NOBODY)
        own = assert_success(await client.get("/users/me", member))
        assert own["delivery_email"] == member.email
        assert own["email"] == made_up_email(member)

    async def test_changes_are_visible_at_once(
        self, client: ApiClient, admin: Person, member: Person
    ) -> None:
        field_id = await add_field(client, admin)
        for value in ("Pizza", "Pasta"):
            await write(client, member, {field_id: value})
            own = assert_success(await client.get("/users/me", member))
            assert own["profile_data"][str(field_id)]["value"] == value

    @pytest.mark.any_database
    async def test_bots_have_no_profile(
        self, client: ApiClient, member: Person, make_user: MakeUser
    ) -> None:
        bot = await make_user(bot_owner=member)
        own = assert_success(await client.get("/users/me", bot))
        assert own["is_bot"] is True
        assert "profile_data" not in own


NEW_USER = {"email": "new@example.com", "password": "correct horse", "full_name": "New Person"}


class TestCreateUser:
    @pytest.mark.any_database
    async def test_anonymous(self, client: ApiClient, admin: Person) -> None:
        assert_error(await client.post("/users", None, **NEW_USER), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    @pytest.mark.parametrize("missing", NEW_USER)
    async def test_missing_parameter(self, client: ApiClient, admin: Person, missing: str) -> None:
        params = {name: value for name, value in NEW_USER.items() if name != missing}
        message = assert_error(await client.post("/users", admin, **params))
        assert message == f"Missing '{missing}' argument"

    @pytest.mark.any_database
    @pytest.mark.parametrize("role", [Role.MODERATOR, Role.MEMBER, Role.GUEST])
    async def test_forbidden(self, client: ApiClient, make_user: MakeUser, role: Role) -> None:
        response = await client.post("/users", await make_user(role), **NEW_USER)
        assert_error(response, "UNAUTHORIZED_PRINCIPAL")

    @pytest.mark.any_database
    async def test_created_member_can_log_in(self, client: ApiClient, admin: Person) -> None:
        response = assert_success(await client.post("/users", admin, **NEW_USER, role=100))
        assert response["ignored_parameters_unsupported"] == ["role"]
        login = await client.post(
            "/fetch_api_key", username="NEW@example.com", password="correct horse"
        )
        api_key = assert_success(login)["api_key"]
        newcomer = Person(response["user_id"], "new@example.com", api_key)
        own = assert_success(await client.get("/users/me", newcomer))
        assert (own["user_id"], own["full_name"]) == (response["user_id"], "New Person")
        assert own["role"] == Role.MEMBER

    @pytest.mark.parametrize("taken", ["iago@example.com", " IAGO@EXAMPLE.com "])
    async def test_address_is_taken_in_any_case(
        self, client: ApiClient, admin: Person, make_user: MakeUser, taken: str
    ) -> None:
        await make_user(email="Iago@example.com")
        response = await client.post("/users", admin, **{**NEW_USER, "email": taken})
        assert assert_error(response).endswith("is already in use")

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        ("params", "complaint"),
        [
            ({"email": "nobody"}, "email is not a valid email address"),
            ({"email": "user7@acme.localhost"}, "email is not a valid email address"),
            ({"email": "x" * 250 + "@a.b"}, None),
            ({"email": f"{'x' * 251}@a.b"}, "email is too long (limit: 254 characters)"),
            ({"password": "short"}, "password is too short (at least: 6 characters)"),
            ({"password": "x" * 101}, "password is too long (limit: 100 characters)"),
            ({"full_name": " "}, "full_name cannot be empty"),
            ({"full_name": "A*B"}, "full_name contains invalid characters"),
            ({"full_name": "x" * 101}, "full_name is too long (limit: 100 characters)"),
        ],
    )
    async def test_validation(
        self, client: ApiClient, admin: Person, params: dict[str, str], complaint: str | None
    ) -> None:
        response = await client.post("/users", admin, **{**NEW_USER, **params})
        if complaint is None:
            assert_success(response)
        else:
            assert assert_error(response) == complaint


@pytest.mark.any_database
class TestOtherOrganizations:
    """Users of another realm are as unknown as users who never existed."""

    @pytest.fixture
    async def stranger(self, runtime: Runtime, member: Person) -> Person:
        other = await factories.make_realm(runtime, "Other")
        return await factories.make_user(runtime, other, Role.OWNER, email="zoe@example.com")

    @pytest.fixture
    async def here(self, app: ChatApp, realm: RealmRecord) -> AsyncIterator[ApiClient]:
        client = ApiClient(app, f"{realm.subdomain}.localhost")
        yield client
        await client.aclose()

    async def test_users_of_another_realm_are_unknown(
        self, here: ApiClient, stranger: Person, member: Person
    ) -> None:
        for name in (stranger.user_id, stranger.email, made_up_email(stranger)):
            assert assert_error(await here.get(f"/users/{name}", member)) == "No such user"
        wanted = [int(stranger.user_id), int(member.user_id)]
        response = assert_success(await here.get("/users", member, user_ids=wanted))
        assert [user["user_id"] for user in response["members"]] == [member.user_id]

    async def test_credentials_of_another_realm_are_refused(
        self, here: ApiClient, stranger: Person
    ) -> None:
        assert_error(await here.get("/users", stranger), "UNAUTHORIZED", 401)

    async def test_addresses_used_in_another_realm_are_free(
        self, here: ApiClient, stranger: Person, admin: Person
    ) -> None:
        params = {**NEW_USER, "email": stranger.email}
        assert_success(await here.post("/users", admin, **params))
