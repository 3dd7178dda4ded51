"""Statements of connecting clients take a part of the connections: others do not wait for them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import Text, cast, func, literal, select, text

from chatapi.core.settings import Settings
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession
from tests.support.waiting import until

HELD_UP = select(cast(func.pg_advisory_xact_lock_shared(7), Text))
ONE = select(literal(1))
HUNDREDS = 300


@pytest.fixture
def backend() -> str:
    return "postgresql"


@pytest.fixture
async def database(settings: Settings) -> AsyncIterator[Database]:
    database = Database(settings)
    yield database
    await database.close()


@asynccontextmanager
async def statements_held_up(database: Database) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Hundreds of statements that each wait for the end of the block."""
    async with database.unlimited_engine() as engine, engine.connect() as holder:
        await holder.execute(text("SELECT pg_advisory_lock(7)"))
        statements = [asyncio.create_task(read_in_turn(database)) for _ in range(HUNDREDS)]
        await until(lambda: database.used_connections > 1)
        yield statements


async def read_in_turn(database: Database) -> None:
    async with DatabaseSession(database) as db:
        await db.fetch_alone(HELD_UP, in_turn=True)


async def test_others_get_a_connection_while_hundreds_wait(database: Database) -> None:
    async with statements_held_up(database) as statements:
        async with DatabaseSession(database) as db, db.transaction():
            await db.execute(ONE)
        async with DatabaseSession(database) as db:
            await db.fetch_alone(ONE)
        assert not any(each.done() for each in statements)
    await asyncio.gather(*statements)
    assert database.used_connections == 0


async def test_statement_that_gets_no_connection_in_time_is_refused(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatapi.db.connection_share.MAX_WAIT_SECONDS", 0.05)
    async with statements_held_up(database) as statements:
        refused = statements[-1]
        await asyncio.wait([refused])
        error = refused.exception()
        assert error is not None
        assert is_unavailable(error)
    results = await asyncio.gather(*statements, return_exceptions=True)
    assert results.count(None) == database.pool_size // 2


async def test_cancelled_waiting_statement_leaves_its_turn_to_others(database: Database) -> None:
    async with statements_held_up(database) as statements:
        for each in statements[1::2]:
            each.cancel()
    await asyncio.gather(*statements, return_exceptions=True)
    await read_in_turn(database)
    assert [each.cancelled() for each in statements] == [False, True] * (HUNDREDS // 2)
