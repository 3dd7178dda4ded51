"""GET /server_settings, GET /health and GET /ready."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.core.version import FEATURE_LEVEL
from chatapi.main import ChatApp
from tests import factories
from tests.factories import Person
from tests.support.apps import StartApp, make_settings, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.realm_settings import set_realm_settings
from tests.support.responses import ApiResponse, assert_error, assert_success
from tests.support.statements import recorded_statements

REALM_KEYS = {
    "realm_url",
    "realm_uri",
    "realm_name",
    "realm_icon",
    "realm_description",
    "realm_web_public_access_enabled",
}


@asynccontextmanager
async def client_of(app: ChatApp, host: str = "localhost") -> AsyncIterator[ApiClient]:
    client = ApiClient(app, host)
    yield client
    await client.aclose()


async def probe(client: ApiClient, path: str) -> ApiResponse:
    return client.read(await client.http.get(path))


@pytest.mark.any_database
class TestServerSettings:
    async def test_describes_server_and_organization(
        self, client: ApiClient, runtime: Runtime, realm: RealmRecord
    ) -> None:
        await set_realm_settings(
            runtime, realm, description="We are **Acme**", enable_spectator_access=True
        )
        settings = assert_success(await client.get("/server_settings"))
        assert settings["service_feature_level"] == settings["zulip_feature_level"] == FEATURE_LEVEL
        assert settings["service_version"] == settings["zulip_version"] != ""
        assert settings["service_merge_base"] == settings["zulip_merge_base"] != ""
        methods = settings["authentication_methods"]
        assert {name for name, is_on in methods.items() if is_on} == {"password", "email"}
        assert {"openid connect", "discord", "saml", "dev"} <= methods.keys()
        assert settings["external_authentication_methods"] == []
        assert settings["push_notifications_enabled"] is False
        assert settings["is_incompatible"] is False
        assert settings["email_auth_enabled"] is True
        assert settings["require_email_format_usernames"] is True
        assert settings["realm_url"] == settings["realm_uri"] == "http://localhost"
        assert settings["realm_name"] == "Acme"
        assert settings["realm_icon"].startswith("https://")
        assert settings["realm_description"] == "<p>We are <strong>Acme</strong></p>"
        assert settings["realm_web_public_access_enabled"] is True

    async def test_root_domain_has_no_realm(
        self, app: ChatApp, realm: RealmRecord, runtime: Runtime
    ) -> None:
        await factories.make_realm(runtime, "Other")
        async with client_of(app, "localhost") as root, client_of(app, "acme.localhost") as acme:
            on_root = assert_success(await root.get("/server_settings"))
            on_acme = assert_success(await acme.get("/server_settings"))
        assert not REALM_KEYS & on_root.keys()
        assert on_acme.keys() - on_root.keys() == REALM_KEYS
        assert on_acme["realm_url"] == "http://acme.localhost"

    async def test_ignores_credentials(self, client: ApiClient, member: Person) -> None:
        stranger = Person(member.user_id, member.email, "wrong")
        anonymous = await client.get("/server_settings")
        assert (await client.get("/server_settings", stranger)).body == anonymous.body
        assert (await client.get("/server_settings", member)).body == anonymous.body

    async def test_reports_ignored_parameters(self, client: ApiClient, realm: RealmRecord) -> None:
        settings = assert_success(await client.get("/server_settings", since=1))
        assert settings["ignored_parameters_unsupported"] == ["since"]


class TestPublicAddress:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"public_url": "https://chat.example.com"})

    @pytest.mark.any_database
    async def test_is_the_configured_one_for_a_single_realm(
        self, client: ApiClient, realm: RealmRecord
    ) -> None:
        described = assert_success(await client.get("/server_settings"))
        assert described["realm_url"] == described["realm_uri"] == "https://chat.example.com"

    async def test_is_per_realm_with_several_realms(
        self, app: ChatApp, runtime: Runtime, realm: RealmRecord
    ) -> None:
        await factories.make_realm(runtime, "Other")
        async with client_of(app, "acme.localhost") as acme:
            described = assert_success(await acme.get("/server_settings"))
        assert described["realm_url"] == "http://acme.localhost"


class TestHealth:
    async def test_answers_without_a_database(self, tmp_path: Path, clock: MovableClock) -> None:
        settings = make_settings("postgresql://nobody@127.0.0.1:1/none", tmp_path)
        async with running_app(settings, clock) as app, client_of(app) as client:
            assert assert_success(await probe(client, "/health")) == {"status": "ok"}

    async def test_runs_no_statement(self, client: ApiClient, runtime: Runtime) -> None:
        with recorded_statements(runtime.database, "") as statements:
            assert_success(await probe(client, "/health"))
        assert not [statement for statement in statements if "realm_clock" not in statement]

    @pytest.mark.any_database
    async def test_reports_ignored_parameters(self, client: ApiClient) -> None:
        health = assert_success(await probe(client, "/health?deep=true"))
        assert health["ignored_parameters_unsupported"] == ["deep"]


class TestReady:
    async def test_is_ready_with_database_and_bus(self, client: ApiClient) -> None:
        assert assert_success(await probe(client, "/ready")) == {"status": "ok"}

    async def test_reports_a_missing_database(self, tmp_path: Path, clock: MovableClock) -> None:
        settings = make_settings("postgresql://nobody@127.0.0.1:1/none", tmp_path)
        async with running_app(settings, clock) as app, client_of(app) as client:
            response = await probe(client, "/ready")
        assert_error(response, "SERVICE_UNAVAILABLE", 503, unavailable=["database"])
        assert response.headers["retry-after"] == "1"

    async def test_is_degraded_without_the_bus(
        self, settings: Settings, start_app: StartApp
    ) -> None:
        lonely = settings.model_copy(update={"redis_url": "redis://127.0.0.1:1"})
        async with client_of(await start_app(settings=lonely)) as client:
            response = assert_success(await probe(client, "/ready"))
        assert response == {"status": "degraded", "unavailable": ["bus"]}


class TestLimits:
    @pytest.fixture
    def settings(self, database_url: str, tmp_path: Path) -> Settings:
        return make_settings(
            database_url, tmp_path, rate_limits="on", address_requests_per_minute=1
        )

    async def test_probes_are_never_refused(self, client: ApiClient, realm: RealmRecord) -> None:
        assert_success(await client.get("/server_settings"))
        assert (await client.get("/server_settings")).status == 429
        assert_success(await probe(client, "/health"))
        assert_success(await probe(client, "/ready"))
