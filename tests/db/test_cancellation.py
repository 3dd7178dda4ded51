"""Work that is cancelled, as by a client that hangs up, on both databases."""

import asyncio

import pytest
from sqlalchemy import literal, select
from sqlalchemy.pool import QueuePool

from chatapi.auth.runtime import Runtime
from chatapi.db.session import DatabaseSession
from tests.support.waiting import until


@pytest.mark.parametrize("steps", range(25))
async def test_leaves_no_connection_behind(runtime: Runtime, steps: int) -> None:
    """Wherever it strikes: while connecting, while a statement runs, while giving back."""
    await runtime.database.engine.dispose()
    reading = asyncio.create_task(read_once(runtime))
    for _ in range(steps):
        await asyncio.sleep(0.0002)  # not to wait for anything: to strike elsewhere each time
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    pool = runtime.database.engine.pool
    assert isinstance(pool, QueuePool)
    await until(lambda: pool.checkedout() == 0)


async def read_once(runtime: Runtime) -> None:
    async with DatabaseSession(runtime.database) as db:
        await db.execute(select(literal(1)))
