"""POST /fetch_api_key and POST /users/me/api_key/regenerate."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import func, select

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.db.models import ApiKey
from chatapi.db.session import DatabaseSession
from chatapi.features.users.api_keys import LOGINS_PER_USER
from chatapi.main import ChatApp
from tests import factories
from tests.factories import MakeUser, Person
from tests.support.account_changes import deactivate, replace_api_key
from tests.support.apps import StartApp, make_settings
from tests.support.client import ApiClient
from tests.support.listening import listen
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.statements import recorded_statements
from tests.support.waiting import until_polls_wait, until_true, waiting_polls

PASSWORD = "correct horse"

LogIn = Callable[[Person], Awaitable[Person]]


@pytest.fixture
async def iago(make_user: MakeUser) -> Person:
    return await make_user(email="Iago@example.com", password=PASSWORD)


@pytest.fixture
def log_in(client: ApiClient) -> LogIn:
    """Log in on a further device."""

    async def log_in(person: Person) -> Person:
        response = await fetch(client, person.email, PASSWORD)
        return replace(person, api_key=assert_success(response)["api_key"])

    return log_in


async def fetch(client: ApiClient, username: str, password: str) -> ApiResponse:
    return await client.post("/fetch_api_key", username=username, password=password)


async def is_let_in(client: ApiClient, person: Person) -> bool:
    response = await client.get("/users/me", person)
    assert response.status == 200 or response["code"] == "UNAUTHORIZED"
    return response.status == 200


async def is_refused(client: ApiClient, person: Person) -> bool:
    return not await is_let_in(client, person)


class TestFetchApiKey:
    @pytest.mark.any_database
    async def test_returns_a_key_that_works(self, client: ApiClient, iago: Person) -> None:
        login = assert_success(await fetch(client, "iago@EXAMPLE.com", PASSWORD))
        assert login.keys() == {"api_key", "email", "user_id"}
        assert login["email"] == "Iago@example.com"
        assert login["user_id"] == iago.user_id
        assert await is_let_in(client, replace(iago, api_key=login["api_key"]))

    async def test_accepts_the_generated_address(
        self, client: ApiClient, iago: Person, realm: RealmRecord
    ) -> None:
        login = await fetch(client, f"user{iago.user_id}@{realm.subdomain}.localhost", PASSWORD)
        assert assert_success(login)["user_id"] == iago.user_id

    @pytest.mark.any_database
    async def test_leaves_other_devices_logged_in(
        self, client: ApiClient, iago: Person, log_in: LogIn
    ) -> None:
        phone, laptop = await log_in(iago), await log_in(iago)
        assert phone.api_key != laptop.api_key
        for device in (iago, phone, laptop):
            assert await is_let_in(client, device)

    async def test_oldest_login_is_evicted(
        self, client: ApiClient, iago: Person, log_in: LogIn, start_app: StartApp
    ) -> None:
        """Also in another process that has cached its key."""
        other_client = ApiClient(await start_app())
        oldest, second = await log_in(iago), await log_in(iago)
        assert await is_let_in(other_client, oldest)
        newer = [await log_in(iago) for _ in range(LOGINS_PER_USER - 1)]
        assert not await is_let_in(client, oldest)
        await until_true(lambda: is_refused(other_client, oldest))
        for device in (iago, second, newer[-1]):
            assert await is_let_in(client, device)
        await other_client.aclose()

    @pytest.mark.any_database
    async def test_login_does_not_interrupt_polls(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        iago: Person,
        log_in: LogIn,
    ) -> None:
        for _ in range(LOGINS_PER_USER):
            await log_in(iago)
        listener = await listen(client, iago)
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        await log_in(iago)
        assert waiting_polls(runtime, realm) == 1
        assert_success(await client.patch("/settings", iago, enter_sends=True))
        assert [event["type"] for event in (await poll)["events"]] == ["user_settings"]

    async def test_stores_no_key_in_clear(
        self, runtime: Runtime, iago: Person, log_in: LogIn
    ) -> None:
        device = await log_in(iago)
        async with DatabaseSession(runtime.database) as db:
            hashes = [value for (value,) in await db.execute(select(ApiKey.key_hash))]
        assert len(hashes) == 2
        assert not {iago.api_key, device.api_key} & set(hashes)

    @pytest.mark.any_database
    @pytest.mark.parametrize("missing", ["username", "password"])
    async def test_needs_both_parameters(
        self, client: ApiClient, realm: RealmRecord, missing: str
    ) -> None:
        params = {"username": "iago@example.com", "password": PASSWORD}
        del params[missing]
        response = await client.post("/fetch_api_key", None, **params)
        assert assert_error(response) == f"Missing '{missing}' argument"

    @pytest.mark.any_database
    async def test_reports_ignored_parameters(self, client: ApiClient, iago: Person) -> None:
        response = await client.post(
            "/fetch_api_key", username=iago.email, password=PASSWORD, device="phone"
        )
        assert assert_success(response)["ignored_parameters_unsupported"] == ["device"]

    @pytest.mark.any_database
    async def test_users_of_other_realms_are_unknown(
        self, app: ChatApp, runtime: Runtime, iago: Person
    ) -> None:
        await factories.make_realm(runtime, "Other")
        other = ApiClient(app, "other.localhost")
        assert_error(await fetch(other, iago.email, PASSWORD), "AUTHENTICATION_FAILED", 401)
        await other.aclose()


@pytest.mark.any_database
class TestRefusals:
    async def test_all_refusals_are_alike(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        iago: Person,
        make_user: MakeUser,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """In text, in statements and in the number of password hashes, and so in time as well."""
        leaver = await make_user(password=PASSWORD)
        await deactivate(runtime, realm, leaver)
        without_password = await make_user()
        hashed: list[str] = []
        verify = runtime.passwords._context.verify

        def count_and_verify(password: str, password_hash: str) -> bool:
            hashed.append(password_hash)
            return bool(verify(password, password_hash))

        monkeypatch.setattr(runtime.passwords._context, "verify", count_and_verify)
        attempts = [
            (iago.email, "wrong"),
            ("nobody@example.com", PASSWORD),
            (leaver.email, PASSWORD),
            (without_password.email, PASSWORD),
        ]
        seen = []
        for username, password in attempts:
            hashed.clear()
            with recorded_statements(runtime.database, "account") as statements:
                response = await fetch(client, username, password)
            assert_error(response, "AUTHENTICATION_FAILED", 401)
            seen.append((response.body, statements, len(hashed)))
        assert seen[0][0]["msg"] == "Your username or password is incorrect"
        assert len(seen[0][1]) == 1
        assert seen[0][2] == 1
        assert all(refusal == seen[0] for refusal in seen)

    async def test_keys_are_refused_alike_as_well(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        iago: Person,
        make_user: MakeUser,
    ) -> None:
        leaver = await make_user()
        await deactivate(runtime, realm, leaver)
        strangers = [
            replace(iago, api_key="wrong"),
            replace(iago, email="nobody@example.com"),
            replace(iago, api_key=leaver.api_key),
            leaver,
        ]
        seen = []
        for stranger in strangers:
            with recorded_statements(runtime.database, "account") as statements:
                response = await client.get("/users/me", stranger)
            assert_error(response, "UNAUTHORIZED", 401)
            seen.append((response.body, statements))
        assert len(seen[0][1]) == 1
        assert all(refusal == seen[0] for refusal in seen)

    async def test_a_deactivated_user_loses_every_device(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        iago: Person,
        log_in: LogIn,
    ) -> None:
        device = await log_in(iago)
        await deactivate(runtime, realm, iago)
        assert not await is_let_in(client, iago)
        assert not await is_let_in(client, device)


class TestLoginLimit:
    @pytest.fixture
    def settings(self, database_url: str, tmp_path: Path) -> Settings:
        return make_settings(database_url, tmp_path, rate_limits="on", logins_per_minute=2)

    @pytest.mark.any_database
    async def test_guesses_are_limited(self, client: ApiClient, iago: Person) -> None:
        for _ in range(2):
            assert_error(await fetch(client, iago.email, "wrong"), "AUTHENTICATION_FAILED", 401)
        response = await fetch(client, iago.email, PASSWORD)
        assert_error(response, "RATE_LIMIT_HIT", 429)
        assert int(response.headers["retry-after"]) > 0
        assert response.headers["x-ratelimit-remaining"] == "0"


class TestRegenerateApiKey:
    @pytest.mark.any_database
    async def test_anonymous_is_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_error(await client.post("/users/me/api_key/regenerate"), "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_ends_all_keys_and_returns_a_new_one(
        self, client: ApiClient, iago: Person, log_in: LogIn
    ) -> None:
        device = await log_in(iago)
        payload = assert_success(await client.post("/users/me/api_key/regenerate", device))
        assert payload.keys() == {"api_key"}
        assert not await is_let_in(client, iago)
        assert not await is_let_in(client, device)
        assert await is_let_in(client, replace(iago, api_key=payload["api_key"]))

    @pytest.mark.any_database
    async def test_ends_the_polls_of_all_devices(
        self,
        client: ApiClient,
        runtime: Runtime,
        realm: RealmRecord,
        iago: Person,
        log_in: LogIn,
    ) -> None:
        device = await log_in(iago)
        poll = asyncio.create_task((await listen(client, device)).poll())
        await until_polls_wait(runtime, realm)
        assert_success(await client.post("/users/me/api_key/regenerate", iago))
        assert_error(await poll, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_emits_no_client_event(
        self, client: ApiClient, owner: Person, iago: Person
    ) -> None:
        listener = await listen(client, owner)
        assert_success(await client.post("/users/me/api_key/regenerate", iago))
        assert await listener.new_events() == []

    @pytest.mark.any_database
    async def test_keys_of_other_users_stay_valid(
        self, client: ApiClient, iago: Person, member: Person
    ) -> None:
        assert_success(await client.post("/users/me/api_key/regenerate", iago))
        assert await is_let_in(client, member)

    @pytest.mark.any_database
    async def test_the_new_key_outlives_later_logins(
        self, client: ApiClient, iago: Person, log_in: LogIn
    ) -> None:
        payload = assert_success(await client.post("/users/me/api_key/regenerate", iago))
        for _ in range(LOGINS_PER_USER + 1):
            await log_in(iago)
        assert await is_let_in(client, replace(iago, api_key=payload["api_key"]))

    @pytest.mark.any_database
    async def test_reports_ignored_parameters(self, client: ApiClient, iago: Person) -> None:
        response = await client.post("/users/me/api_key/regenerate", iago, user_id=iago.user_id)
        assert assert_success(response)["ignored_parameters_unsupported"] == ["user_id"]

    async def test_the_command_line_replaces_keys_likewise(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, iago: Person, log_in: LogIn
    ) -> None:
        device = await log_in(iago)
        api_key = await replace_api_key(runtime, realm, iago)
        assert not await is_let_in(client, device)
        assert await is_let_in(client, replace(iago, api_key=api_key))
        async with DatabaseSession(runtime.database) as db:
            rows = await db.execute(
                select(func.count()).where(ApiKey.user_id == iago.user_id, ApiKey.is_primary)
            )
            assert rows.scalar_one() == 1
