"""Runs statements with a time limit, after which they are cancelled."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio.engine import AsyncConnection

from chatapi.core.errors import TooExpensiveError
from chatapi.db.sqlite_driver import EagerConnection, sqlite_connection_of

T = TypeVar("T")


async def execute_with_timeout(
    seconds: float, connection: AsyncConnection, execute: Callable[[], Awaitable[T]]
) -> T:
    """Run a statement; after `seconds`, cancel it in the database and raise TooExpensiveError.

    The limit needs no extra statement, as setting PostgreSQL's statement_timeout would.
    """
    driver = sqlite_connection_of(connection)
    if driver is not None:
        return await _interrupt_after(seconds, driver, execute)
    try:
        # Cancelling makes the driver cancel the statement in the server.
        async with asyncio.timeout(seconds):
            return await execute()
    except TimeoutError:
        raise TooExpensiveError from None


async def _interrupt_after(
    seconds: float, driver: EagerConnection, execute: Callable[[], Awaitable[T]]
) -> T:
    """Interrupt SQLite itself: it runs in a thread, which a cancelled task would not stop."""
    is_late = False

    def interrupt() -> None:
        nonlocal is_late
        is_late = True
        driver.interrupt_statement()

    timer = asyncio.get_running_loop().call_later(seconds, interrupt)
    try:
        return await execute()
    except OperationalError:
        if is_late:
            raise TooExpensiveError from None
        raise
    finally:
        timer.cancel()
