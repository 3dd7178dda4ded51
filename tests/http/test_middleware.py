"""The middleware: every response has envelope and headers, and errors reveal nothing."""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import orjson
import pytest
from sqlalchemy import text
from typing_extensions import TypedDict

from chatapi.auth.guards import Anybody
from chatapi.auth.realm_cache import RealmRecord
from chatapi.core.settings import Settings
from chatapi.http.request import ApiRequest
from chatapi.http.route import FeatureRouter
from chatapi.main import ChatApp
from chatapi.wire.params import Params
from tests import factories
from tests.factories import Person
from tests.support.apps import make_settings, running_app
from tests.support.client import ApiClient
from tests.support.clock import MovableClock
from tests.support.killable_postgres import KillablePostgres, killable_postgres
from tests.support.listening import listen
from tests.support.log_lines import collected_log
from tests.support.responses import assert_error, assert_success
from tests.support.sample_events import Noted, commit_events
from tests.support.server_process import server_process
from tests.support.servers import migrate
from tests.support.waiting import MAX_WAIT_SECONDS, until_polls_wait, until_true

router = FeatureRouter("Tests")


class SecretParams(Params):
    password: str


class NumberPayload(TypedDict):
    number: int


@router.post("/test/failure")
async def fail(ctx: Anybody, params: SecretParams) -> None:
    """Raise an unexpected error."""
    raise LookupError("an inside detail")


@router.post("/test/bad_statement")
async def bad_statement(ctx: Anybody, params: SecretParams) -> None:
    """Run a statement that the database refuses."""
    statement = text("SELECT missing FROM realm WHERE name = :name")
    await ctx.db.execute(statement.bindparams(name=params.password))


@router.get("/test/statement")
async def statement(ctx: Anybody) -> NumberPayload:
    """Run a valid statement."""
    return {"number": (await ctx.db.execute(text("SELECT 7"))).scalar_one()}


@pytest.fixture
def extra_routes() -> tuple[FeatureRouter, ...]:
    return (router,)


@pytest.mark.usefixtures("realm")
class TestInternalErrors:
    async def test_reveal_no_details(self, client: ApiClient) -> None:
        answer = await client.post("/test/failure", password="hunter2")
        assert answer.body == {
            "result": "error",
            "msg": "Internal server error",
            "code": "INTERNAL_SERVER_ERROR",
        }
        assert answer.status == 500

    async def test_are_found_in_the_log_by_their_request_id(self, client: ApiClient) -> None:
        with collected_log() as entries:
            answer = await client.post("/test/failure", password="hunter2")
        (entry,) = entries
        assert entry["request_id"] == answer.headers["x-request-id"]
        assert entry["path"] == "/api/v1/test/failure"
        assert "an inside detail" in entry["exception"]
        assert "hunter2" not in str(entry)

    async def test_statement_parameters_are_not_logged(
        self, settings: Settings, client: ApiClient
    ) -> None:
        with collected_log() as entries:
            await client.post("/test/bad_statement", password="hunter2")
        assert "hunter2" not in str(entries)

    async def test_service_works_after_an_error(self, client: ApiClient) -> None:
        for _ in range(30):
            await client.post("/test/failure", password="")
            await client.post("/test/bad_statement", password="")
        assert (await client.get("/test/statement"))["number"] == 7


@pytest.mark.usefixtures("realm")
class TestHeaders:
    @pytest.mark.parametrize("path", ["/server_settings", "/users/me", "/nothing"])
    async def test_of_every_response(self, client: ApiClient, path: str) -> None:
        headers = (await client.get(path)).headers
        assert headers["content-type"] == "application/json"
        assert headers["cache-control"] == "no-store, private"
        assert headers["x-content-type-options"] == "nosniff"
        assert int(headers["content-length"]) > 0
        assert len(headers["x-request-id"]) == 16

    async def test_request_ids_differ(self, client: ApiClient) -> None:
        ids = {(await client.get("/nothing")).headers["x-request-id"] for _ in range(5)}
        assert len(ids) == 5

    @pytest.mark.any_database
    @pytest.mark.parametrize(
        "host", ["[", "[::1", "]", "a b", "\xff", "x" * 5000, "localhost:99999999", ":"]
    )
    async def test_any_host_gets_a_response(self, client: ApiClient, host: str) -> None:
        headers = {b"Host": host.encode("latin-1")}
        response = await client.http.get("/api/v1/server_settings", headers=headers)
        assert response.status_code in {200, 400, 404}


@pytest.mark.usefixtures("realm")
class TestMemory:
    @pytest.mark.parametrize("path", ["/server_settings", "/users/me", "/nothing"])
    async def test_a_request_leaves_no_garbage(self, client: ApiClient, path: str) -> None:
        gc.collect()
        gc.disable()
        try:
            await client.get(path)
            assert not [each for each in gc.get_objects() if type(each) is ApiRequest]
        finally:
            gc.enable()


class TestAccessLog:
    async def test_has_one_line_per_request_without_its_secrets(self, tmp_path: Path) -> None:
        async with server_process(tmp_path, access_log="true", log_format="json") as server:
            async with httpx.AsyncClient(base_url=server.url, timeout=MAX_WAIT_SECONDS) as http:
                await http.get("/api/v1/nothing", params={"zebra": "secret"})
                await http.get("/user_uploads/temporary/secret/a.txt")
                await http.get("/user_uploads/temporary/secret/a.txt/more")
                await http.post("/api/v1/external/json", params={"api_key": "secret"}, json={})
            await server.terminate()
        lines = [orjson.loads(line) for line in server.log.splitlines() if line.startswith("{")]
        entries = [line for line in lines if line["event"] == "request"]
        template = "/user_uploads/temporary/{link}/{filename}"
        webhook = "/api/v1/external/{integration}"
        assert [entry["path"] for entry in entries] == ["unknown", template, "unknown", webhook]
        entry = entries[0]
        assert entry["method"] == "GET"
        assert entry["status"] == 404
        assert entry["seconds"] >= 0
        assert entry["address"] == "127.0.0.1"
        assert entry["user_id"] is None
        assert "secret" not in server.log


@pytest.fixture(scope="module")
def postgres() -> Iterator[KillablePostgres]:
    with killable_postgres() as postgres:
        yield postgres


class TestDatabaseAway:
    """On a PostgreSQL of its own, since it is killed."""

    @pytest.fixture
    async def app(
        self, postgres: KillablePostgres, tmp_path_factory: pytest.TempPathFactory
    ) -> AsyncIterator[ChatApp]:
        await postgres.server.drop_database("away")
        await postgres.server.create_database("away")
        await migrate(postgres.server.url_for("away"))
        settings = make_settings(
            postgres.server.url_for("away"), tmp_path_factory.mktemp("data"), heartbeat_seconds=50
        )
        async with running_app(settings, MovableClock(), router) as app:
            yield app

    async def works(self, client: ApiClient) -> bool:
        return (await client.get("/test/statement")).status == 200

    @pytest.mark.slow
    async def test_gives_503_and_recovers(
        self, client: ApiClient, realm: RealmRecord, postgres: KillablePostgres
    ) -> None:
        assert await self.works(client)
        postgres.kill()
        for _ in range(3):
            answer = await client.get("/test/statement")
            assert_error(answer, "SERVICE_UNAVAILABLE", 503)
            assert answer.headers["retry-after"] == "1"
        postgres.start()
        await until_true(lambda: self.works(client))
        responses = await asyncio.gather(*(client.get("/test/statement") for _ in range(20)))
        assert {answer.status for answer in responses} == {200}

    @pytest.mark.slow
    async def test_waiting_polls_survive_it(
        self,
        app: ChatApp,
        client: ApiClient,
        realm: RealmRecord,
        member: Person,
        postgres: KillablePostgres,
    ) -> None:
        listener = await listen(client, member, event_types=["test_note"])
        poll = asyncio.create_task(listener.next_events())
        await until_polls_wait(app.runtime, realm)
        postgres.kill()
        assert_error(await client.get("/test/statement"), "SERVICE_UNAVAILABLE", 503)
        postgres.start()
        await until_true(lambda: self.works(client))
        await commit_events(app.runtime, realm, Noted(text="a"))
        assert [event["text"] for event in await poll] == ["a"]

    async def test_failed_write_is_not_committed(
        self, app: ChatApp, client: ApiClient, realm: RealmRecord, postgres: KillablePostgres
    ) -> None:
        work = app.runtime.begin()
        await work.db.lock_realm(realm.id)
        postgres.kill()
        postgres.start()
        with pytest.raises(Exception, match="connection"):
            await work.db.execute(text("SELECT 1"))
        await work.db.close()
        await until_true(lambda: self.works(client))
        person = await factories.make_user(app.runtime, realm)
        assert_success(await client.get("/users/me", person))
