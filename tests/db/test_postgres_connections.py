"""Connections to PostgreSQL that are opened while the process is busy, or not wanted any more."""

import asyncio
import time
from pathlib import Path

import pytest
from sqlalchemy import make_url

from chatapi.db.postgres import PostgresConnections
from tests.support.apps import make_settings
from tests.support.databases import WorkerPostgres

SILENCE_SECONDS = 0.3


@pytest.fixture
def connections(postgres_database: WorkerPostgres, tmp_path: Path) -> PostgresConnections:
    url = postgres_database.url
    settings = make_settings(url, tmp_path, database_silence_seconds=SILENCE_SECONDS)
    return PostgresConnections(make_url(url), settings)


async def test_time_in_which_the_process_is_busy_does_not_count(
    connections: PostgresConnections,
) -> None:
    opening = asyncio.create_task(connections.open())
    while not opening.done():
        time.sleep(SILENCE_SECONDS * 2)  # noqa: ASYNC251 (not to wait: it keeps the process busy)
        await asyncio.sleep(0)
    connection = opening.result()
    assert await connection.fetchval("SELECT 1") == 1
    connection.terminate()


async def test_connection_that_opens_while_its_task_is_cancelled_is_closed(
    connections: PostgresConnections,
) -> None:
    wanted = asyncio.create_task(connections.open())
    await asyncio.sleep(0)
    (opening,) = connections._opening
    loop = asyncio.get_running_loop()

    def cancel_once_open() -> None:
        if opening.done():
            wanted.cancel()
        else:
            loop.call_soon(cancel_once_open)

    cancel_once_open()
    with pytest.raises(asyncio.CancelledError):
        await wanted
    assert opening.result().is_closed()
