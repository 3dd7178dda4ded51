"""The connections that the monitor of PostgreSQL opens for itself."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from chatapi.db.connection_watchdog import ConnectionWatchdog
from chatapi.db.health_monitor import HealthMonitor
from chatapi.db.postgres import PostgresConnections
from tests.support.apps import make_settings
from tests.support.databases import WorkerPostgres
from tests.support.tcp_proxy import TcpProxy, tcp_proxy, to_postgres
from tests.support.waiting import until

SILENCE_SECONDS = 60


@pytest.fixture
async def proxy(postgres_database: WorkerPostgres) -> AsyncIterator[TcpProxy]:
    async with tcp_proxy(to_postgres(make_url(postgres_database.url))) as proxy:
        yield proxy


@pytest.fixture
async def monitor(
    postgres_database: WorkerPostgres, proxy: TcpProxy, tmp_path: Path
) -> AsyncIterator[HealthMonitor]:
    # Without TLS the server answers once, so that answers that are released together are complete.
    url = make_url(postgres_database.url).set(
        host="127.0.0.1", port=proxy.port, query={"ssl": "disable"}
    )
    settings = make_settings(
        url.render_as_string(hide_password=False),
        tmp_path,
        database_silence_seconds=SILENCE_SECONDS,
    )
    connections = PostgresConnections(url, settings)
    monitor = HealthMonitor(connections, ConnectionWatchdog(), SILENCE_SECONDS)
    yield monitor
    await monitor.close()


async def test_one_connection_stays_open_after_two_attempts_succeed_at_once(
    proxy: TcpProxy, monitor: HealthMonitor
) -> None:
    proxy.hold_answers()
    monitor.start()
    await until(lambda: proxy.held_answers >= 2)
    proxy.release_answers()
    await until(lambda: proxy.open_connections == 1)


async def test_closed_monitor_has_no_connection(proxy: TcpProxy, monitor: HealthMonitor) -> None:
    monitor.start()
    await until(lambda: proxy.open_connections == 1)
    await monitor.close()
    await until(lambda: proxy.open_connections == 0)
