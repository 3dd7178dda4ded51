"""A Redis that stops responding: what does not need it keeps working, and what uses it recovers.

A small proxy loses the packets; the bounds of time are those of a busy machine.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from chatapi.core.settings import Settings
from chatapi.events.redis_bus import RedisBus
from chatapi.http.route import API_PREFIX
from chatapi.main import ChatApp
from tests.factories import MakeUser
from tests.support.client import ApiClient
from tests.support.tcp_proxy import TcpProxy, tcp_proxy, to_unix_socket
from tests.support.temporary_valkey import TemporaryValkey, temporary_valkey
from tests.support.waiting import MAX_WAIT_SECONDS, until, until_true

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def valkey() -> Iterator[TemporaryValkey]:
    with temporary_valkey(private=True) as valkey:
        yield valkey


@pytest.fixture
async def proxy(valkey: TemporaryValkey) -> AsyncIterator[TcpProxy]:
    async with tcp_proxy(to_unix_socket(Path(valkey.url.removeprefix("unix://")))) as proxy:
        yield proxy


@pytest.fixture
def settings(settings: Settings, proxy: TcpProxy) -> Settings:
    return settings.model_copy(
        update={"redis_url": f"redis://127.0.0.1:{proxy.port}/0", "rate_limits": "on"}
    )


async def status_of_readiness(client: ApiClient) -> tuple[int, str]:
    response = await client.http.get("/ready")
    return response.status_code, response.json().get("status")


async def test_service_goes_on_without_redis_and_reconnects_when_it_is_back(
    app: ChatApp, client: ApiClient, make_user: MakeUser, proxy: TcpProxy
) -> None:
    person = await make_user(password="correct horse")
    await until_true(lambda: is_ready(client))
    proxy.swallow()
    async with asyncio.timeout(MAX_WAIT_SECONDS):
        assert await status_of_readiness(client) == (200, "degraded")
        login = {"username": person.email, "password": "correct horse"}
        response = await client.http.post(f"{API_PREFIX}/fetch_api_key", data=login)
        assert response.status_code == 200
        message = {"type": "direct", "to": f"[{person.user_id}]", "content": "hello"}
        response = await client.http.post(
            f"{API_PREFIX}/messages", data=message, auth=(person.email, person.api_key)
        )
        assert response.status_code == 200
    bus = app.runtime.hub._bus
    assert isinstance(bus, RedisBus)
    await until(lambda: bus._is_lost)
    proxy.pass_on()
    await until_true(lambda: is_ready(client))
    await until(lambda: not bus._is_lost)


async def is_ready(client: ApiClient) -> bool:
    return await status_of_readiness(client) == (200, "ok")
