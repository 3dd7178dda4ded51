"""CHATAPI_METRICS_PORT: metrics on a port of their own, one for each worker."""

import re
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.support.command import PATIENCE_SECONDS, Command
from tests.support.server_process import free_port
from tests.support.waiting import until_true

pytestmark = pytest.mark.slow


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=PATIENCE_SECONDS) as http:
        yield http


async def has_metrics(http: httpx.AsyncClient, port: int) -> bool:
    try:
        response = await http.get(f"http://127.0.0.1:{port}/metrics")
    except httpx.ConnectError:
        return False
    return re.search(r"^chatapi_database_up 1.0$", response.text, re.MULTILINE) is not None


async def test_is_not_the_port_of_the_api_and_ends_with_it(
    command: Command, prepared: Prepared, http: httpx.AsyncClient
) -> None:
    port = free_port()
    with command.with_settings(metrics="on", metrics_port=str(port)).serving() as serving:
        serving.read_greeting(last="╰")
        async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
            await client.get("/users/me")
        assert await has_metrics(http, port)
        assert (await http.get(f"{serving.url}/metrics")).status_code == 404
        other = await http.get(f"http://127.0.0.1:{port}/api/v1/users/me")
        assert other.status_code == 404
        serving.end()
    assert not await has_metrics(http, port)


async def test_next_ports_are_those_of_further_workers(
    command: Command, http: httpx.AsyncClient
) -> None:
    port = free_port()
    with command.with_settings(metrics="on", metrics_port=str(port)).serving(
        "--workers", "2"
    ) as serving:
        serving.read_greeting(last="╰")
        await until_true(lambda: has_metrics(http, port), PATIENCE_SECONDS)
        await until_true(lambda: has_metrics(http, port + 1), PATIENCE_SECONDS)


def test_is_needed_with_several_workers(command: Command) -> None:
    refused = command.with_settings(metrics="on").run("serve", "--workers", "2", "--port", "0")
    assert refused.status == 2
    assert "CHATAPI_METRICS_PORT: needed with several workers" in refused.stderr
