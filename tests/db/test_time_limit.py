"""Statements with a time limit, on both databases."""

import pytest
from sqlalchemy import literal, select, text

from chatapi.auth.runtime import Runtime
from chatapi.core.errors import TooExpensiveError
from chatapi.db.session import DatabaseSession
from tests.support.waiting import until_true

ENDLESS = text(
    "WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless)"
    " SELECT count(*) FROM endless"
)
RUNNING = text(
    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH RECURSIVE%'"
)


@pytest.mark.parametrize("in_snapshot", [False, True])
async def test_statement_is_stopped_and_session_goes_on(
    runtime: Runtime, in_snapshot: bool
) -> None:
    async with DatabaseSession(runtime.database) as db:
        db.statement_seconds = 0.05
        if in_snapshot:
            await db.snapshot()
        with pytest.raises(TooExpensiveError):
            await db.execute(ENDLESS)
        await db.close()
        db.statement_seconds = 5
        assert (await db.execute(select(literal(1)))).scalar_one() == 1


async def test_stopped_statement_does_not_run_on_in_the_server(
    runtime: Runtime, backend: str
) -> None:
    async with DatabaseSession(runtime.database) as db:
        db.statement_seconds = 0.05
        with pytest.raises(TooExpensiveError):
            await db.execute(ENDLESS)
    if backend == "sqlite":
        # The connection's thread would not get to another statement.
        async with DatabaseSession(runtime.database) as db:
            assert (await db.execute(select(literal(1)))).scalar_one() == 1
        return

    async def has_stopped() -> bool:
        async with DatabaseSession(runtime.database) as db:
            return bool((await db.execute(RUNNING)).scalar_one() == 0)

    await until_true(has_stopped)


async def test_quick_statement_is_not_touched(runtime: Runtime) -> None:
    async with DatabaseSession(runtime.database) as db:
        db.statement_seconds = 5
        assert (await db.execute(select(literal(1)))).scalar_one() == 1
