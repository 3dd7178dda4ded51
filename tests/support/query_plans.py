"""The statements that requests run, their plans, and what they cost SQLite."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any

import asyncpg
from sqlalchemy import event

from chatapi.db.database import Database
from tests.support.statements import around_driver_statements


async def count_steps(database: Database, sql: str, values: Any) -> int:
    """How many instructions SQLite takes for a statement, in tens."""
    tens = 0

    def count() -> None:
        nonlocal tens
        tens += 1

    with closing(sqlite3.connect(str(database.url.database))) as connection:
        connection.set_progress_handler(count, 10)
        connection.execute(sql, values).fetchall()
    return tens * 10


def captured_history_statement(
    database: Database,
) -> AbstractContextManager[list[tuple[str, Any]]]:
    """The statement that reads a page of messages, with its parameters."""
    return captured_statements(database, "AS page")


@contextmanager
def captured_statements(database: Database, part: str) -> Iterator[list[tuple[str, Any]]]:
    """The statements that contain something, with their parameters."""
    captured: list[tuple[str, Any]] = []

    def capture(_connection: object, _cursor: object, sql: str, values: Any, *_rest: Any) -> None:
        if part in sql:
            captured.append((sql, values))

    async def capture_on_driver(sql: str, arguments: Sequence[Any]) -> None:
        capture(None, None, sql, tuple(arguments))

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", capture)
    try:
        with around_driver_statements(before=capture_on_driver):
            yield captured
    finally:
        event.remove(engine, "before_cursor_execute", capture)


async def explain(database: Database, sql: str, values: Any) -> str:
    verb = "EXPLAIN QUERY PLAN" if database.is_sqlite else "EXPLAIN"
    async with database.reader.connect() as connection:
        rows = await connection.exec_driver_sql(f"{verb} {sql}", values)
        return "\n".join(" ".join(str(cell) for cell in row) for row in rows)


async def is_plan_kept(database: Database, sql: str, values: Sequence[Any]) -> bool:
    """Whether PostgreSQL runs a statement with the plan for all values once it knows the costs.

    It makes plans for the values of the first five executions, and compares.
    """
    given = ", ".join(map(_literal, values))
    async with database.reader.connect() as connection:
        pooled = await connection.get_raw_connection()
        driver: asyncpg.Connection[Any] = pooled.driver_connection
        # Neither PREPARE nor EXECUTE can have parameters of the driver.
        await driver.execute(f"PREPARE kept AS {sql}")
        for _ in range(6):
            await driver.execute(f"EXECUTE kept ({given})")
        kept = await driver.fetchval(
            "SELECT generic_plans FROM pg_prepared_statements WHERE name = 'kept'"
        )
        await driver.execute("DEALLOCATE kept")
    return bool(kept == 1)


def _literal(value: object) -> str:
    if isinstance(value, list):
        return f"ARRAY{value}::bigint[]"
    return f"'{value}'" if isinstance(value, str) else str(value)
