"""Rate limits: per address, per user, and strict on logins."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis

from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.settings import Settings
from chatapi.http.limits import WindowCounter
from tests.factories import MakeUser, Person, make_realm
from tests.support.apps import StartApp
from tests.support.client import ApiClient
from tests.support.databases import SqliteTemplate
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.temporary_valkey import TemporaryValkey


def assert_limited(response: ApiResponse, limit: int) -> None:
    assert_error(response, "RATE_LIMIT_HIT", 429)
    assert 0 < response["retry-after"] <= 60
    assert 1 <= int(response.headers["retry-after"]) <= 60
    assert response.headers["x-ratelimit-limit"] == str(limit)
    assert response.headers["x-ratelimit-remaining"] == "0"


@pytest.mark.any_database
class TestPerUser:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"rate_limits": "on", "requests_per_minute": 3})

    async def test_too_many_requests(self, client: ApiClient, member: Person) -> None:
        remaining = []
        for _ in range(3):
            response = await client.get("/users/me", member)
            assert_success(response)
            remaining.append(response.headers["x-ratelimit-remaining"])
        assert remaining == ["2", "1", "0"]
        assert_limited(await client.get("/users/me", member), 3)

    async def test_other_users_are_not_limited(
        self, client: ApiClient, member: Person, admin: Person
    ) -> None:
        for _ in range(4):
            await client.get("/users/me", member)
        assert_success(await client.get("/users/me", admin))

    async def test_reset_time_is_in_the_near_future(
        self, client: ApiClient, member: Person
    ) -> None:
        headers = (await client.get("/users/me", member)).headers
        assert int(headers["x-ratelimit-reset"]) > 0

    async def test_window_does_not_grow_when_the_time_of_day_is_set_back(
        self, client: ApiClient, member: Person, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for _ in range(3):
            assert_success(await client.get("/users/me", member))
        an_hour_ago = time.time() - 3600
        monkeypatch.setattr(time, "time", lambda: an_hour_ago)
        assert_limited(await client.get("/users/me", member), 3)


class TestWindow:
    def test_begins_anew_a_minute_after_the_first_hit(self) -> None:
        now = 100.0
        counter = WindowCounter(lambda: now)
        assert counter.hit(("user", "1")) == (1, 60)
        now += 59
        assert counter.hit(("user", "1")) == (2, 1)
        assert counter.hit(("user", "2")) == (1, 60)
        now += 1
        assert counter.hit(("user", "1")) == (1, 60)

    def test_is_forgotten_when_it_has_ended(self) -> None:
        now = 0.0
        counter = WindowCounter(lambda: now)
        for number in range(100):
            counter.hit(("address", str(number)))
        now += 61
        counter.hit(("address", "new"))
        assert len(counter) == 1


@pytest.mark.any_database
class TestPerAddress:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"rate_limits": "on", "address_requests_per_minute": 3})

    async def test_counts_requests_without_credentials(
        self, client: ApiClient, realm: RealmRecord
    ) -> None:
        for _ in range(3):
            assert_success(await client.get("/server_settings"))
        assert_limited(await client.get("/server_settings"), 3)

    async def test_health_is_never_limited(self, client: ApiClient, realm: RealmRecord) -> None:
        for _ in range(5):
            assert (await client.http.get("/health")).status_code == 200


@pytest.fixture
def valkey(valkey_server: TemporaryValkey) -> TemporaryValkey:
    # No counts of the test before: a killed server loses them.
    valkey_server.kill()
    valkey_server.start()
    return valkey_server


class TestLogins:
    @pytest.fixture(params=["memory", "valkey"])
    def settings(
        self, settings: Settings, valkey: TemporaryValkey, request: pytest.FixtureRequest
    ) -> Settings:
        redis_url = valkey.url if request.param == "valkey" else ""
        return settings.model_copy(
            update={"rate_limits": "on", "logins_per_minute": 2, "redis_url": redis_url}
        )

    async def log_in(self, client: ApiClient, name: str, password: str = "wrong") -> ApiResponse:
        return await client.post("/fetch_api_key", username=name, password=password)

    async def test_are_counted_by_name(self, client: ApiClient, make_user: MakeUser) -> None:
        person = await make_user(password="correct horse")
        for _ in range(2):
            assert (await self.log_in(client, person.email)).status != 429
        assert_limited(await self.log_in(client, person.email.upper(), "correct horse"), 2)

    async def test_are_counted_by_address(self, client: ApiClient, realm: RealmRecord) -> None:
        for number in range(2):
            assert (await self.log_in(client, f"a{number}@example.com")).status != 429
        assert_limited(await self.log_in(client, "other@example.com"), 2)

    async def test_are_counted_before_the_body_is_read(
        self, client: ApiClient, realm: RealmRecord
    ) -> None:
        was_read = False

        async def body() -> AsyncIterator[bytes]:
            nonlocal was_read
            was_read = True
            yield b"text=x"

        for _ in range(2):
            response = await client.call("POST", "/fetch_api_key", content=b"%" * 16_000)
            assert_error(response)
        assert_limited(await client.call("POST", "/fetch_api_key", content=body()), 2)
        assert not was_read

    async def test_do_not_limit_other_requests(self, client: ApiClient, member: Person) -> None:
        for _ in range(3):
            await self.log_in(client, member.email)
        assert_success(await client.get("/users/me", member))


class TestSharedLogins:
    """With Redis, processes share their counts; while Redis is away, each counts by itself."""

    @pytest.fixture
    def settings(self, settings: Settings, valkey: TemporaryValkey) -> Settings:
        return settings.model_copy(
            update={"rate_limits": "on", "logins_per_minute": 2, "redis_url": valkey.url}
        )

    async def test_two_processes_count_together(
        self, client: ApiClient, realm: RealmRecord, start_app: StartApp
    ) -> None:
        other = ApiClient(await start_app())
        for who in (client, other):
            response = await who.post("/fetch_api_key", username="a@example.com", password="x")
            assert response.status != 429
        response = await client.post("/fetch_api_key", username="a@example.com", password="x")
        assert_limited(response, 2)

    @pytest.mark.any_database
    async def test_two_deployments_on_one_redis_count_apart(
        self,
        client: ApiClient,
        realm: RealmRecord,
        start_app: StartApp,
        settings: Settings,
        sqlite_template: SqliteTemplate,
        tmp_path: Path,
    ) -> None:
        folder = tmp_path / "other"
        folder.mkdir()
        address = sqlite_template.copy_to(folder)
        stranger = await start_app(settings=settings.model_copy(update={"database_url": address}))
        await make_realm(stranger.runtime, "Other")
        other = ApiClient(stranger)
        for who in (client, client, other, other):
            response = await who.post("/fetch_api_key", username="a@example.com", password="x")
            assert response.status != 429

    async def test_window_does_not_grow_when_the_clock_of_redis_is_set_back(
        self, client: ApiClient, realm: RealmRecord, valkey: TemporaryValkey
    ) -> None:
        async def log_in() -> ApiResponse:
            return await client.post("/fetch_api_key", username="a@example.com", password="x")

        for _ in range(2):
            assert (await log_in()).status != 429
        assert_limited(await log_in(), 2)
        async with Redis.from_url(valkey.url) as redis:
            # The rest of the window grows by as much as the clock was set back.
            for key in await redis.keys("*login*"):
                await redis.expire(key, 3600)
        assert (await log_in()).status != 429

    @pytest.mark.any_database
    async def test_without_redis_logins_work_and_are_still_limited(
        self, client: ApiClient, make_user: MakeUser, valkey: TemporaryValkey
    ) -> None:
        person = await make_user(password="correct horse")
        valkey.kill()
        for _ in range(2):
            response = await client.post(
                "/fetch_api_key", username=person.email, password="correct horse"
            )
            assert response["email"] == person.email
        response = await client.post(
            "/fetch_api_key", username=person.email, password="correct horse"
        )
        assert_limited(response, 2)


class TestOff:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(
            update={"requests_per_minute": 1, "address_requests_per_minute": 1}
        )

    @pytest.mark.any_database
    async def test_nothing_is_counted(self, client: ApiClient, member: Person) -> None:
        for _ in range(3):
            response = await client.get("/users/me", member)
            assert_success(response)
            assert not [name for name in response.headers if name.startswith("x-ratelimit")]
