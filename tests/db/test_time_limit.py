"""Statements with a time limit, on both databases."""

from collections.abc import Awaitable, Callable

import pytest
from sqlalchemy import func, literal, select, text

from chatapi.auth.runtime import Runtime
from chatapi.core.errors import TooExpensiveError
from chatapi.db.session import DatabaseSession
from tests.support.waiting import until_true

_numbers = select(literal(1).label("n")).cte("endless", recursive=True)
_endless = _numbers.union_all(select(_numbers.c.n + 1))
ENDLESS = select(func.count()).select_from(_endless)
RUNNING = text(
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH RECURSIVE%'"
)


async def execute(db: DatabaseSession) -> None:
    await db.execute(ENDLESS)


async def fetch(db: DatabaseSession) -> None:
    await db.fetch(ENDLESS)


both_ways = pytest.mark.parametrize("run", [execute, fetch])


@both_ways
@pytest.mark.parametrize("in_snapshot", [False, True])
async def test_statement_is_stopped_and_session_goes_on(
    runtime: Runtime, run: Callable[[DatabaseSession], Awaitable[None]], in_snapshot: bool
) -> None:
    async with DatabaseSession(runtime.database) as db:
        if in_snapshot:
            await db.snapshot()
        await db.execute(select(literal(1)))
        db.statement_seconds = 0.05
        with pytest.raises(TooExpensiveError):
            await run(db)
        await db.close()
        db.statement_seconds = 5
        assert (await db.execute(select(literal(1)))).scalar_one() == 1


@both_ways
async def test_stopped_statement_does_not_run_on_in_the_server(
    runtime: Runtime, backend: str, run: Callable[[DatabaseSession], Awaitable[None]]
) -> None:
    async with DatabaseSession(runtime.database) as db:
        db.statement_seconds = 0.05
        with pytest.raises(TooExpensiveError):
            await run(db)
    if backend == "sqlite":
        # The connection's thread would not get to another statement.
        async with DatabaseSession(runtime.database) as db:
            assert (await db.execute(select(literal(1)))).scalar_one() == 1
        return

    async def has_stopped() -> bool:
        async with DatabaseSession(runtime.database) as db:
            return bool((await db.execute(RUNNING)).scalar_one() == 0)

    # Earlier than the limit that the server itself has for all statements.
    await until_true(has_stopped, runtime.settings.statement_timeout_seconds / 2)


async def test_quick_statement_is_not_touched(runtime: Runtime) -> None:
    async with DatabaseSession(runtime.database) as db:
        db.statement_seconds = 5
        assert (await db.execute(select(literal(1)))).scalar_one() == 1
