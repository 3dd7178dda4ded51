"""Cancelled work, as by a client that disconnects, on both databases."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import literal, select, text
from sqlalchemy.pool import QueuePool

from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from tests.support.waiting import until

ONE = select(literal(1))


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


async def read_alone(database: Database) -> None:
    async with DatabaseSession(database) as db:
        await db.fetch_alone(ONE, {})


async def read_on_driver(database: Database) -> None:
    async with DatabaseSession(database) as db:
        await db.fetch(ONE)


async def read_snapshot_on_driver(database: Database) -> None:
    async with DatabaseSession(database) as db:
        await db.snapshot()
        await db.fetch(ONE)
        await db.fetch(ONE)


async def read_snapshot(database: Database) -> None:
    async with DatabaseSession(database) as db:
        await db.snapshot()
        await db.execute(select(literal(1)))


async def write_once(database: Database) -> None:
    async with DatabaseSession(database) as db, db.transaction():
        await db.execute(text("UPDATE realm SET name = 'Changed'"))


@pytest.mark.parametrize(
    "work",
    [
        read_once,
        read_alone,
        read_on_driver,
        read_snapshot,
        read_snapshot_on_driver,
        write_once,
    ],
)
async def test_leaves_no_transaction_behind(
    settings: Settings, work: Callable[[Database], Awaitable[None]]
) -> None:
    """At any point: while waiting for the turn, beginning, writing, committing, releasing."""
    database = Database(settings)
    pool = database.engine.pool
    assert isinstance(pool, QueuePool)
    for steps in range(0, 60, 2):
        tasks = [asyncio.ensure_future(work(database)) for _ in range(2)]
        for _ in range(steps):
            await asyncio.sleep(0)  # not to wait for anything: to cancel at another point each time
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not database.writer_turn(None).locked()
    await until(lambda: pool.checkedout() == 0)
    await write_once(database)
    await database.close()


@pytest.mark.parametrize("backend", ["postgresql"], indirect=True)
@pytest.mark.parametrize("read", [read_once, read_alone, read_on_driver])
async def test_leaves_no_connection_behind_while_a_closed_one_is_replaced(
    settings: Settings, read: Callable[[Database], Awaitable[None]]
) -> None:
    """The pool finds only at the checkout that an idle connection was closed."""
    database = Database(settings)
    pool = database.engine.pool
    assert isinstance(pool, QueuePool)
    for steps in range(0, 40, 2):
        await read(database)
        idle = await database.check_out(database.engine.raw_connection)
        assert idle.driver_connection is not None
        await idle.driver_connection.close()
        idle.close()
        reading = asyncio.ensure_future(read(database))
        for _ in range(steps):
            await asyncio.sleep(0)  # not to wait for anything: to cancel at another point each time
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await until(lambda: pool.checkedout() == 0)
    await asyncio.gather(*(read(database) for _ in range(database.pool_size)))
    await database.close()
