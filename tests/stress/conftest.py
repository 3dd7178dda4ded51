"""Servers that are killed, and clients that tolerate it."""

import gc
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import httpx
import pytest

from chatapi.core.settings import Settings
from tests.support.server_process import ServerProcess, server_process
from tests.support.temporary_valkey import TemporaryValkey, temporary_valkey
from tests.support.waiting import MAX_WAIT_SECONDS


@pytest.fixture
def valkey() -> Iterator[TemporaryValkey]:
    with temporary_valkey(private=True) as valkey:
        yield valkey


@pytest.fixture
def process_count() -> int:
    return 1


@pytest.fixture
def server_settings() -> dict[str, str]:
    """CHATAPI_ settings without the prefix, in addition to those that all servers have here."""
    return {}


@pytest.fixture
async def processes(
    settings: Settings,
    server_settings: dict[str, str],
    process_count: int,
    valkey: TemporaryValkey,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[list[ServerProcess]]:
    """Servers on one database; several know of each other."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                server_process(
                    tmp_path_factory.mktemp("server"),
                    database_url=settings.database_url,
                    migrate_on_start="false",
                    # Opening connections is most of what a restart costs.
                    database_pool_size="3",
                    redis_url=valkey.url if process_count > 1 else "",
                    rate_limits="off",
                    heartbeat_seconds="1",
                    password_hash_kib="8",
                    password_hash_rounds="1",
                    **server_settings,
                )
            )
            for _ in range(process_count)
        ]


@pytest.fixture
async def clients(processes: list[ServerProcess]) -> AsyncIterator[list[httpx.AsyncClient]]:
    unlimited = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                httpx.AsyncClient(base_url=server.url, limits=unlimited, timeout=MAX_WAIT_SECONDS)
            )
            for server in processes
        ]
    # Lost sockets are to be reported here, and not in another test.
    gc.collect()
