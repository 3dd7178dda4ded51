"""The SQL statements of a request: the same statements take the same time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias
from unittest.mock import patch

from sqlalchemy import Connection, event
from sqlalchemy.engine.interfaces import CacheStats, ExecutionContext
from sqlalchemy.util import await_only

from chatapi.db import driver_connection, pooled_connection
from chatapi.db.database import Database
from chatapi.db.driver_connection import Fetch, run_on_driver
from chatapi.db.driver_statements import ReadStatement, compile_for_driver

DriverAction: TypeAlias = Callable[[str, Sequence[Any]], Awaitable[None]]
"""Is passed the text of a statement and its arguments."""

_CONTINUOUS = (
    "min(scheduled_message.deliver_at)",
    "min(outgoing_webhook_call.due_at)",
    "min(attachment_image.next_attempt_at)",
    "min(pending_move.due_at)",
    "FROM epoch",
    "SELECT realm_clock.realm_id,",
)
"""Of jobs and of feeds, which look for work and for events all the time."""
_LOCKS_CLOCK = ("SELECT", "WITH stopped")


@contextmanager
def recorded_statements(database: Database, table: str) -> Iterator[list[str]]:
    """The statements that name a table, except those that run all the time."""
    statements: list[str] = []

    def note(statement: str) -> None:
        if table in statement and not _is_continuous(statement):
            statements.append(statement)

    def record(_connection: object, _cursor: object, statement: str, *_rest: Any) -> None:
        note(statement)

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", record)
    try:
        with _on_driver_statement(database, note):
            yield statements
    finally:
        event.remove(engine, "before_cursor_execute", record)


def _is_continuous(statement: str) -> bool:
    return any(each in statement for each in _CONTINUOUS)


@contextmanager
def _on_driver_statement(database: Database, note: Callable[[str], None]) -> Iterator[None]:
    """Call a function for each statement that runs on a driver, where SQLAlchemy has no events."""
    before = database.trace_statement

    def note_and_trace(statement: str) -> None:
        note(statement)
        if before is not None:
            before(statement)

    database.trace_statement = note_and_trace
    try:
        yield
    finally:
        database.trace_statement = before


@dataclass
class HeldStatements:
    """Statements on the driver that wait until the test lets them run."""

    count: int = 0
    may_run: asyncio.Event = field(default_factory=asyncio.Event)


@contextmanager
def held_driver_statements(part: str) -> Iterator[HeldStatements]:
    """Hold the statements of a session's `fetch` that have a certain text, with their connections.

    Those that still wait at the end of the block run then.
    """
    held = HeldStatements()

    async def wait(sql: str, _arguments: Sequence[Any]) -> None:
        if part in sql:
            held.count += 1
            await held.may_run.wait()

    with around_driver_statements(before=wait):
        try:
            yield held
        finally:
            held.may_run.set()


async def _do_nothing(_sql: str, _arguments: Sequence[Any]) -> None:
    pass


@contextmanager
def around_driver_statements(
    *, before: DriverAction = _do_nothing, after: DriverAction = _do_nothing
) -> Iterator[None]:
    """Do something before and after each statement on the driver, where SQLAlchemy has no events.

    The statement's caller waits for it.
    """
    run = run_on_driver

    async def run_between(
        database: Database, fetch: Fetch, statement: ReadStatement, values: Mapping[str, Any]
    ) -> Sequence[Any]:
        async def fetch_between(sql: str, arguments: Sequence[Any]) -> Sequence[Any]:
            await before(sql, arguments)
            rows = await fetch(sql, arguments)
            await after(sql, arguments)
            return rows

        return await run(database, fetch_between, statement, values)

    with (
        patch.object(pooled_connection, "run_on_driver", run_between),
        patch.object(driver_connection, "run_on_driver", run_between),
    ):
        yield


@contextmanager
def interrupted_statement(
    database: Database,
    part: str,
    action: Callable[[], Awaitable[object]],
    *,
    moment: Literal["before", "after"],
) -> Iterator[None]:
    """Do something right before or after the first statement with a certain text.

    Those that run all the time do not count. The statement's caller goes on when the action has
    ended.
    """
    is_done = False
    name = f"{moment}_cursor_execute"

    async def act(statement: str, _values: object) -> None:
        nonlocal is_done
        if part in statement and not is_done and not _is_continuous(statement):
            is_done = True
            await action()

    def act_now(_connection: object, _cursor: object, statement: str, *_rest: Any) -> None:
        await_only(act(statement, ()))

    engine = database.engine.sync_engine
    event.listen(engine, name, act_now)
    try:
        with around_driver_statements(**{moment: act}):
            yield
    finally:
        event.remove(engine, name, act_now)
    assert is_done, f"no statement has {part!r}"


@contextmanager
def statements_under_lock(database: Database, *, only_new: bool = False) -> Iterator[list[str]]:
    """The statements of writing transactions, from the one that locks the realm to the commit.

    All other writers of the realm wait for these. With `only_new`, those that SQLAlchemy had to
    compile, which takes longer than most of them take to run.
    """
    statements: list[str] = []
    locked: set[int] = set()

    def record(
        connection: Connection,
        _cursor: object,
        statement: str,
        _values: object,
        context: ExecutionContext,
        *_rest: Any,
    ) -> None:
        how = connection.get_execution_options()
        is_writing = not {"isolation_level", "sqlite_begin"} & set(how)
        if is_writing and "realm_clock" in statement and statement.startswith(_LOCKS_CLOCK):
            locked.add(id(connection))
        elif id(connection) in locked and (not only_new or _was_compiled(context)):
            statements.append(statement)

    def forget(connection: Connection) -> None:
        locked.discard(id(connection))

    engine = database.engine.sync_engine
    listeners: dict[str, Callable[..., None]] = {
        "before_cursor_execute": record,
        "commit": forget,
        "rollback": forget,
    }
    for name, listener in listeners.items():
        event.listen(engine, name, listener)
    try:
        yield statements
    finally:
        for name, listener in listeners.items():
            event.remove(engine, name, listener)


def forget_compiled(database: Database) -> None:
    """Make the engine as it is in a process that has just started."""
    database.engine.clear_compiled_cache()
    database.precompiled.clear()
    compile_for_driver.cache_clear()


def _was_compiled(context: ExecutionContext) -> bool:
    return getattr(context, "cache_hit", None) is CacheStats.CACHE_MISS
