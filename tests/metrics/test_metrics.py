"""GET /metrics, read as Prometheus reads it."""

import asyncio
import re
from collections.abc import AsyncIterator

import httpx
import orjson
import pytest
from prometheus_client.parser import text_string_to_metric_families

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.core.settings import Settings
from chatapi.jobs.periodic_jobs import run_job
from chatapi.main import ChatApp
from tests.factories import Person
from tests.support.apps import StartApp
from tests.support.client import ApiClient, basic_auth
from tests.support.listening import listen
from tests.support.responses import assert_success
from tests.support.server_process import PROJECT
from tests.support.waiting import until_polls_wait

METRIC_NAME = re.compile(r"\b(?:chatapi|process)_\w+")
Labels = frozenset[tuple[str, str]]
Samples = dict[tuple[str, Labels], float]


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"metrics": "on"})


@pytest.fixture
async def http(app: ChatApp) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        yield http


async def scrape(http: httpx.AsyncClient) -> Samples:
    response = await http.get("/metrics")
    assert response.status_code == 200
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def value(samples: Samples, metric: str, /, **labels: str) -> float:
    return samples.get((f"chatapi_{metric}", frozenset(labels.items())), 0)


@pytest.mark.any_database
class TestRequests:
    async def test_are_counted_by_route_and_status(
        self, client: ApiClient, http: httpx.AsyncClient, owner: Person
    ) -> None:
        for user_id in (owner.user_id, 77, 78):
            await client.get(f"/users/{user_id}", owner)
        await client.get("/no/such/path", owner)
        samples = await scrape(http)
        route = "/api/v1/users/{user_id_or_email}"
        labels = {"method": "GET", "route": route}
        assert value(samples, "requests_total", **labels, status="200") == 1
        assert value(samples, "requests_total", **labels, status="400") == 2
        assert value(samples, "request_seconds_count", **labels) == 3
        assert value(samples, "requests_total", method="GET", route="unknown", status="404") == 1

    async def test_of_pages_and_unchanged_content_are_counted_with_their_status(
        self, client: ApiClient, http: httpx.AsyncClient, owner: Person
    ) -> None:
        await http.get("/docs")
        await scrape(http)
        users = await client.get("/users", owner)
        await client.http.get(
            "/api/v1/users",
            auth=basic_auth(owner),
            headers={"If-None-Match": users.headers["etag"]},
        )
        samples = await scrape(http)
        for route, status in (
            ("/docs", "200"),
            ("/metrics", "200"),
            ("/api/v1/users", "200"),
            ("/api/v1/users", "304"),
        ):
            counted = value(samples, "requests_total", method="GET", route=route, status=status)
            assert counted == 1, (route, status)

    async def test_of_any_method_do_not_add_labels(
        self, client: ApiClient, http: httpx.AsyncClient, realm: RealmRecord
    ) -> None:
        for number in range(20):
            await client.call(f"BREW{number}", "/users/me")
        samples = await scrape(http)
        assert not any("BREW" in str(labels) for _, labels in samples)


class TestState:
    async def test_waiting_polls_and_their_delay_are_seen(
        self,
        client: ApiClient,
        http: httpx.AsyncClient,
        runtime: Runtime,
        realm: RealmRecord,
        owner: Person,
    ) -> None:
        listener = await listen(client, owner)
        poll = asyncio.create_task(listener.poll())
        await until_polls_wait(runtime, realm)
        waiting = await scrape(http)
        await client.post("/messages", owner, type="direct", to=[owner.user_id], content="Hello")
        assert_success(await poll)
        after = await scrape(http)
        assert value(waiting, "polls_waiting") == 1
        assert value(waiting, "queues") == 1
        assert value(after, "polls_waiting") == 0
        assert value(after, "delivery_seconds_count") == 1
        assert value(after, "commit_batch_size_sum") == 1
        assert value(after, "events_logged") == value(waiting, "events_logged") + 1

    @pytest.mark.any_database
    async def test_round_trips_of_a_send_are_counted(
        self, client: ApiClient, http: httpx.AsyncClient, owner: Person
    ) -> None:
        before = await scrape(http)
        await client.post("/messages", owner, type="direct", to=[owner.user_id], content="Hello")
        after = await scrape(http)
        sent = value(after, "database_round_trips_total") - value(
            before, "database_round_trips_total"
        )
        assert sent > 1

    async def test_services_and_pool_are_up(self, http: httpx.AsyncClient) -> None:
        samples = await scrape(http)
        assert value(samples, "database_up") == 1
        assert value(samples, "bus_up") == 1
        assert value(samples, "pool_used") < value(samples, "pool_size")


async def test_jobs_are_counted_with_their_outcome(
    http: httpx.AsyncClient, runtime: Runtime
) -> None:
    async def fine(_runtime: Runtime) -> None:
        """Do nothing."""

    async def broken(_runtime: Runtime) -> None:
        raise RuntimeError("broken")

    await run_job(fine, runtime)
    await run_job(broken, runtime)
    samples = await scrape(http)
    assert value(samples, "job_runs_total", name="fine", outcome="success") == 1
    assert value(samples, "job_runs_total", name="broken", outcome="failure") == 1


@pytest.mark.any_database
async def test_dashboard_shows_only_metrics_that_exist(
    http: httpx.AsyncClient, runtime: Runtime, client: ApiClient, owner: Person
) -> None:
    await client.get("/users/me", owner)
    runtime.measurements.job_ended("some_job", has_failed=False)
    exposed = {name for name, _ in await scrape(http)}
    dashboard = orjson.loads((PROJECT / "deploy/grafana-dashboard.json").read_bytes())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    shown = {name for query in queries for name in METRIC_NAME.findall(query)}
    assert len(shown) > 10
    assert shown <= exposed


@pytest.mark.any_database
async def test_without_the_setting_there_is_nothing(
    start_app: StartApp, settings: Settings
) -> None:
    app = await start_app(settings=settings.model_copy(update={"metrics": "off"}))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
        assert (await http.get("/metrics")).status_code == 404
