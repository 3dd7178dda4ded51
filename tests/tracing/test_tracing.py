"""CHATAPI_TRACING: what a collector receives of a real server; without it, nothing is loaded."""

import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import OWNER, OWNER_EMAIL, OWNER_PASSWORD
from tests.features.messages.outgoing_webhooks.services import LOOPBACK, recording_service
from tests.support.command import PATIENCE_SECONDS, Command
from tests.support.server_process import inherited_environment
from tests.support.servers import Servers
from tests.support.waiting import until
from tests.tracing.collector import Collector, attributes, running_collector

pytestmark = pytest.mark.slow

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
SEND = "POST /api/v1/messages"
READ = "GET /api/v1/users/me"


@pytest.fixture
async def collector() -> AsyncIterator[Collector]:
    async with running_collector() as collector:
        yield collector


@pytest.fixture(params=["sqlite", "postgresql"])
async def command(
    request: pytest.FixtureRequest, servers: Servers, worker_name: str, tmp_path: Path
) -> AsyncIterator[Command]:
    """The command in an organization with an owner, on each database."""
    command = Command(tmp_path, {"data_dir": str(tmp_path)})
    name = f"chatapi_tracing_{worker_name}"
    if request.param == "postgresql":
        await servers.postgres.drop_database(name)
        await servers.postgres.create_database(name)
        command = command.with_settings(database_url=servers.postgres.url_for(name))
    command.answer("db", "upgrade")
    command.answer("org", "create", "--name", "Acme")
    yield command
    if request.param == "postgresql":
        await servers.postgres.drop_database(name)


async def test_collector_sees_request_statements_commit_and_webhook_of_a_send(
    collector: Collector, command: Command
) -> None:
    owner = command.answer("user", "create", *OWNER, stdin=OWNER_PASSWORD)
    traced = command.with_settings(
        tracing="on", access_log="true", log_format="json", outgoing_webhook_networks=LOOPBACK
    ).with_variables(OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_BSP_SCHEDULE_DELAY="50")
    async with recording_service() as service:
        with traced.serving() as serving:
            serving.read_greeting(last="╰")
            async with serving.client(OWNER_EMAIL, owner["api_key"]) as client:
                bot = await add_bot(client, service.url)
                await client.get("/users/me")
                sent = await client.post(
                    "/messages",
                    data={"type": "direct", "to": f"[{bot}]", "content": "a secret text"},
                    headers={"traceparent": TRACEPARENT},
                )
            assert sent.status_code == 200, sent.text
            await until(lambda: len(service.requests) == 1, PATIENCE_SECONDS)
            await until(lambda: len(collector.named("POST")) == 1, PATIENCE_SECONDS)
            await until(lambda: len(collector.named(SEND)) == 1, PATIENCE_SECONDS)
            await until(lambda: len(collector.named(READ)) == 1, PATIENCE_SECONDS)
            serving.end()
            log = serving.errors.read_text()
    [request] = collector.named(SEND)
    assert (request.trace_id.hex(), request.parent_span_id.hex()) == (TRACE, PARENT)
    said = attributes(request)
    assert said["http.route"] == "/api/v1/messages"
    assert said["http.response.status_code"] == 200
    assert said["enduser.id"] == str(owner["user_id"])
    assert said["chatapi.realm"] == "acme"
    assert said["chatapi.request_id"] == sent.headers["x-request-id"]
    children = {span.name for span in collector.children_of(request)}
    assert {"COMMIT", "INSERT"} <= children or {"COMMIT", "WITH"} <= children, children
    [reading] = collector.named(READ)
    assert {span.name for span in collector.children_of(reading)} == {"SELECT"}
    [call] = collector.named("POST")
    assert (call.trace_id, call.parent_span_id) == (request.trace_id, request.span_id)
    given = service.requests[0].headers["traceparent"]
    assert given == f"00-{TRACE}-{call.span_id.hex()}-01"
    assert collector.services == {"chatapi"}
    assert "a secret text" not in repr(collector.spans)
    assert line_of_send(log)["trace_id"] == TRACE


async def add_bot(client: httpx.AsyncClient, url: str) -> int:
    new = {"full_name": "Helper", "short_name": "helper", "bot_type": "3", "payload_url": url}
    created = await client.post("/bots", data=new)
    assert created.status_code == 200, created.text
    return int(created.json()["user_id"])


def line_of_send(log: str) -> dict[str, object]:
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    found: list[dict[str, object]] = [
        line
        for line in lines
        if (line["event"], line.get("path"), line.get("method"))
        == ("request", "/api/v1/messages", "POST")
    ]
    [line] = found
    return line


def test_without_the_switch_nothing_of_it_is_imported() -> None:
    """FastAPI itself imports the interface of OpenTelemetry, which records nothing."""
    program = (
        "import sys, chatapi.cli, chatapi.main\n"
        "from chatapi.core.settings import Settings\n"
        "app = chatapi.main.create_app(Settings(data_dir=sys.argv[1]))\n"
        "print(*(name for name in sys.modules if name.startswith("
        "('opentelemetry.sdk', 'opentelemetry.exporter', 'chatapi.tracing', 'google.protobuf'))))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "."],
        capture_output=True,
        check=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        env=inherited_environment(),
    )
    assert ended.stdout.strip() == ""


def test_collector_that_is_not_there_changes_nothing_for_clients(
    tmp_path: Path,
) -> None:
    command = Command(tmp_path, {"data_dir": str(tmp_path), "tracing": "on"})
    nowhere = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    with command.with_variables(**nowhere).serving() as serving:
        serving.read_greeting(last="╰")
        assert httpx.get(f"{serving.url}/health", timeout=PATIENCE_SECONDS).status_code == 200
        serving.end()
