"""GET /users/me/api_keys and DELETE /users/me/api_keys/{key_id}."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.clock import unix_seconds
from chatapi.jobs.api_key_use import store_used_api_keys
from tests.factories import MakeUser, Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.listening import listen
from tests.support.responses import assert_error, assert_success
from tests.support.waiting import until_polls_wait, until_true

PASSWORD = "correct horse"


@pytest.fixture
async def iago(make_user: MakeUser) -> Person:
    return await make_user(email="iago@example.com", password=PASSWORD)


@pytest.fixture
async def phone(client: ApiClient, iago: Person) -> Person:
    """Iago, logged in by a client that tells its name."""
    response = await client.call(
        "POST",
        "/fetch_api_key",
        data={"username": iago.email, "password": PASSWORD},
        headers={"User-Agent": "ExamplePhone/1.0 (pocket)"},
    )
    return replace(iago, api_key=assert_success(response)["api_key"])


async def keys_of(client: ApiClient, person: Person) -> list[dict[str, Any]]:
    keys: list[dict[str, Any]] = assert_success(await client.get("/users/me/api_keys", person))[
        "api_keys"
    ]
    return keys


async def is_refused(client: ApiClient, person: Person) -> bool:
    return (await client.get("/users/me", person)).status == 401


@pytest.mark.any_database
class TestList:
    async def test_tells_client_times_and_the_key_of_the_request(
        self, client: ApiClient, clock: MovableClock, phone: Person
    ) -> None:
        first, second = await keys_of(client, phone)
        assert second == {
            "id": second["id"],
            "name": "ExamplePhone",
            "is_login": True,
            "is_current": True,
            "created_at": unix_seconds(clock.now()),
            "last_used_at": None,
        }
        assert (first["name"], first["is_login"], first["is_current"]) == ("", False, False)

    async def test_has_no_keys_of_others(
        self, client: ApiClient, iago: Person, make_user: MakeUser
    ) -> None:
        other = await make_user()
        (mine,) = await keys_of(client, iago)
        (theirs,) = await keys_of(client, other)
        assert mine["id"] != theirs["id"]


class TestLastUse:
    async def test_is_stored_by_the_job(
        self, client: ApiClient, runtime: Runtime, clock: MovableClock, iago: Person, phone: Person
    ) -> None:
        clock.advance(hours=1)
        await client.get("/users/me", phone)
        await store_used_api_keys(runtime)
        used = {key["name"]: key["last_used_at"] for key in await keys_of(client, iago)}
        assert used == {"": None, "ExamplePhone": unix_seconds(clock.now())}

    async def test_is_written_once_in_ten_minutes(
        self, client: ApiClient, runtime: Runtime, clock: MovableClock, iago: Person
    ) -> None:
        times = []
        for _ in range(3):
            clock.advance(minutes=6)
            await client.get("/users/me", iago)
            await store_used_api_keys(runtime)
            (key,) = await keys_of(client, iago)
            times.append(key["last_used_at"])
        assert times == [times[0], times[0], unix_seconds(clock.now())]


class TestRevoke:
    async def test_ends_one_key_in_every_process_and_leaves_the_others(
        self, client: ApiClient, start_app: StartApp, iago: Person, phone: Person
    ) -> None:
        other_client = ApiClient(await start_app())
        assert not await is_refused(other_client, phone)
        revoked = (await keys_of(client, phone))[1]["id"]
        assert_success(await client.delete(f"/users/me/api_keys/{revoked}", iago))
        assert await is_refused(client, phone)
        await until_true(lambda: is_refused(other_client, phone))
        assert len(await keys_of(client, iago)) == 1
        await other_client.aclose()

    async def test_ends_polls_that_wait_with_the_key(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, iago: Person, phone: Person
    ) -> None:
        listener = await listen(client, phone)
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        revoked = (await keys_of(client, phone))[1]["id"]
        assert_success(await client.delete(f"/users/me/api_keys/{revoked}", iago))
        assert_error(await poll, "UNAUTHORIZED", 401)

    @pytest.mark.any_database
    async def test_of_a_key_of_another_user_is_refused(
        self, client: ApiClient, iago: Person, make_user: MakeUser
    ) -> None:
        other = await make_user()
        (theirs,) = await keys_of(client, other)
        refused = await client.delete(f"/users/me/api_keys/{theirs['id']}", iago)
        assert assert_error(refused) == "API key does not exist"
        assert not await is_refused(client, other)
