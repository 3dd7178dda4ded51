"""The realm of a request, and isolation between realms."""

import asyncio

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.roles import Role
from chatapi.core.settings import Settings
from chatapi.main import ChatApp
from tests import factories
from tests.factories import Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.responses import assert_error, assert_success
from tests.support.sample_events import RealmTouched, commit_events
from tests.support.waiting import until_true


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"root_domain": "chat.example.com"})


async def status_at(app: ChatApp, host: str, person: Person) -> int:
    return (await ApiClient(app, host).get("/users/me", person)).status


class TestOneOrganization:
    @pytest.mark.parametrize(
        "host",
        ["acme.chat.example.com", "chat.example.com", "localhost:8000", "192.0.2.1", "[::1]:80"],
    )
    async def test_is_served_at_every_host(self, app: ChatApp, member: Person, host: str) -> None:
        assert await status_at(app, host, member) == 200


class TestNoOrganization:
    async def test_gives_an_error(self, client: ApiClient) -> None:
        response = await client.get("/users/me", Person(1, "a@example.com", "key"))  # type: ignore[arg-type]
        assert_error(response, "NONEXISTENT_SUBDOMAIN", 404)

    async def test_first_realm_is_found_once_created(
        self, client: ApiClient, runtime: Runtime, start_app: StartApp
    ) -> None:
        assert_error(await client.get("/users/me"), "NONEXISTENT_SUBDOMAIN", 404)
        other = (await start_app()).runtime
        await factories.make_realm(other, "Acme")

        async def is_noticed() -> bool:
            return (await client.get("/users/me")).status == 401

        await until_true(is_noticed)


async def test_realm_that_another_process_has_just_created_is_found_by_its_id(
    runtime: Runtime, realm: RealmRecord, start_app: StartApp
) -> None:
    assert (await runtime.realms.of_id(realm.id)).name == realm.name
    made = await factories.make_realm((await start_app()).runtime, "Globex", "globex")
    assert (await runtime.realms.of_id(made.id)).name == "Globex"


class TestChanges:
    async def test_take_effect_under_concurrent_requests(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord, member: Person
    ) -> None:
        """The cached realm is invalidated again and again."""

        async def touch() -> None:
            for _ in range(20):
                await commit_events(runtime, realm, RealmTouched())

        async def ask() -> None:
            for _ in range(20):
                assert_success(await client.get("/users/me", member))

        await asyncio.gather(touch(), *(ask() for _ in range(5)))


class TestSeveralOrganizations:
    @pytest.fixture
    async def globex(self, runtime: Runtime, realm: RealmRecord) -> RealmRecord:
        return await factories.make_realm(runtime, "Globex", "globex")

    @pytest.fixture
    async def stranger(self, runtime: Runtime, globex: RealmRecord) -> Person:
        return await factories.make_user(runtime, globex, Role.OWNER, email="same@example.com")

    async def test_each_has_its_subdomain(
        self, app: ChatApp, member: Person, stranger: Person
    ) -> None:
        for host in ("acme.chat.example.com", "ACME.chat.example.com:8000"):
            assert await status_at(app, host, member) == 200
        assert await status_at(app, "globex.chat.example.com", stranger) == 200

    async def test_credentials_are_valid_in_their_own_only(
        self, app: ChatApp, member: Person, stranger: Person
    ) -> None:
        assert await status_at(app, "globex.chat.example.com", member) == 401
        assert await status_at(app, "acme.chat.example.com", stranger) == 401

    async def test_generated_addresses_are_valid_in_their_own_only(
        self, app: ChatApp, member: Person, stranger: Person
    ) -> None:
        name = f"user{member.user_id}@acme.chat.example.com"
        posing = Person(member.user_id, name, member.api_key)
        assert await status_at(app, "acme.chat.example.com", posing) == 200
        assert await status_at(app, "globex.chat.example.com", posing) == 401

    async def test_same_email_is_two_users(
        self, app: ChatApp, runtime: Runtime, realm: RealmRecord, stranger: Person
    ) -> None:
        namesake = await factories.make_user(runtime, realm, email=stranger.email)
        me = await ApiClient(app, "acme.chat.example.com").get("/users/me", namesake)
        assert me["user_id"] == namesake.user_id != stranger.user_id

    @pytest.mark.parametrize(
        "host",
        [
            "chat.example.com",
            "unknown.chat.example.com",
            "acme.chat.example.com.evil.example",
            "a.acme.chat.example.com",
            "acmechat.example.com",
            "localhost",
            "192.0.2.1",
        ],
    )
    async def test_other_hosts_have_no_realm(
        self, app: ChatApp, member: Person, stranger: Person, host: str
    ) -> None:
        client = ApiClient(app, host)
        assert_error(await client.get("/users/me", member), "NONEXISTENT_SUBDOMAIN", 404)
        settings = assert_success(await client.get("/server_settings"))
        assert not [name for name in settings if name.startswith("realm_name")]

    async def test_ids_of_another_realm_are_unknown(
        self, app: ChatApp, member: Person, stranger: Person
    ) -> None:
        client = ApiClient(app, "acme.chat.example.com")
        by_id = await client.get(f"/users/{stranger.user_id}", member)
        unknown = await client.get("/users/99999", member)
        assert by_id.status == unknown.status == 400
        assert by_id["code"] == unknown["code"]
        people = assert_success(await client.get("/users", member))["members"]
        assert stranger.user_id not in [person["user_id"] for person in people]

    async def test_queues_of_another_realm_are_unknown(
        self, app: ChatApp, member: Person, stranger: Person
    ) -> None:
        theirs = await ApiClient(app, "globex.chat.example.com").post("/register", stranger)
        response = await ApiClient(app, "acme.chat.example.com").get(
            "/events", member, queue_id=theirs["queue_id"]
        )
        assert_error(response, "BAD_EVENT_QUEUE_ID", queue_id=theirs["queue_id"])
