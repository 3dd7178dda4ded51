"""Cancelled work, as by a client that disconnects, on both databases."""

import asyncio

import pytest
from sqlalchemy import literal, select
from sqlalchemy.pool import QueuePool

from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from tests.support.waiting import until


@pytest.mark.parametrize("steps", range(25))
async def test_leaves_no_connection_behind(settings: Settings, steps: int) -> None:
    """At any point: while connecting, while a statement runs, while releasing the connection."""
    database = Database(settings)
    pool = database.engine.pool
    assert isinstance(pool, QueuePool)
    reading = asyncio.create_task(read_once(database))
    for _ in range(steps):
        await asyncio.sleep(
            0.0002
        )  # not to wait for anything: to cancel at another point each time
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await until(lambda: pool.checkedout() == 0)
    await database.close()


async def read_once(database: Database) -> None:
    async with DatabaseSession(database) as db:
        await db.execute(select(literal(1)))
