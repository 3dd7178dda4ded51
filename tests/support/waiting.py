"""Waiting for a condition, with a limit, instead of for a time."""

import asyncio
from collections.abc import Awaitable, Callable

from sqlalchemy import text

from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.runtime import Runtime
from chatapi.db.database import Database
from chatapi.db.session import DatabaseSession

MAX_WAIT_SECONDS = 180
"""Bounds how long a failure takes; a busy machine may need many times what an idle one does."""
POLL_INTERVAL_SECONDS = 0.005
_LOCKED_OUT = text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


async def until(condition: Callable[[], bool], seconds: float = MAX_WAIT_SECONDS) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 (nothing tells us when it becomes true)
            await asyncio.sleep(POLL_INTERVAL_SECONDS)


async def until_true(
    condition: Callable[[], Awaitable[bool]], seconds: float = MAX_WAIT_SECONDS
) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 (likewise)
            await asyncio.sleep(POLL_INTERVAL_SECONDS)


async def until_lock_is_awaited(database: Database) -> None:
    """Wait until a transaction waits for a lock, on PostgreSQL."""

    async def is_lock_awaited() -> bool:
        async with DatabaseSession(database) as db:
            rows = await db.execute(_LOCKED_OUT)
            return bool(rows.scalar_one())

    await until_true(is_lock_awaited)


def waiting_polls(runtime: Runtime, realm: RealmRecord) -> int:
    """The number of polls of a realm that wait in this process."""
    feed = runtime.hub._feeds.get(realm.id)
    return 0 if feed is None else feed.waiting_polls


async def until_polls_wait(
    runtime: Runtime, realm: RealmRecord, count: int = 1, seconds: float = MAX_WAIT_SECONDS
) -> None:
    await until(lambda: waiting_polls(runtime, realm) == count, seconds)


async def catch_up_with_other_processes(runtime: Runtime, realm: RealmRecord) -> None:
    """Wait until this process has read all commits of other processes so far."""
    await runtime.hub.catch_up(await runtime.hub.feed(realm.id))
