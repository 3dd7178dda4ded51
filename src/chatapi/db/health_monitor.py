"""Detects within seconds that PostgreSQL has stopped responding, and when it is back."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog

from chatapi.db.busy_timeout import busy_timeout
from chatapi.db.connection_watchdog import ConnectionWatchdog
from chatapi.db.postgres import Connection, PostgresConnections, has_succeeded

log = structlog.get_logger()

PROBE = "chatapi monitor"
"""The application name of the monitor's connection."""
_ASK_AGAIN_SECONDS = 0.25
_CONNECT_AGAIN_SECONDS = 0.5
"""An attempt whose packets were lost says nothing about the next one."""
_AFTER_REFUSAL_SECONDS = 0.25
_STEP_SECONDS = 0.05
_SUSPICIOUS_SHARE = 1 / 6
"""Share of the silence limit after which the monitor also asks on a new connection."""


class HealthMonitor:
    """Runs a trivial query on a connection of its own, four times a second.

    The duration of a statement says nothing about the health of the server: some take long. This
    query does not. If there is no response, there are two cases. Either a new connection gets a
    response sooner: then the open connections lead to a server that is gone, as after a failover.
    Or nothing responds at all. In both cases all connections of the process are aborted, so that
    requests fail at once instead of waiting one after the other; in the second case the database
    is considered away until it responds again. The monitor starts soon after the first connection
    was opened: until then, only the kernel notices lost packets. If the server responds, it is also
    asked about statements that take long, and connections on which it runs nothing are aborted.
    """

    def __init__(
        self, connections: PostgresConnections, watchdog: ConnectionWatchdog, silence_seconds: float
    ) -> None:
        self._connections = connections
        self._watchdog = watchdog
        self._silence_seconds = silence_seconds
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the monitor, unless it already runs."""
        if self._running is None:
            self._running = asyncio.create_task(self._run())

    async def close(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)

    async def _run(self) -> None:
        await asyncio.sleep(_ASK_AGAIN_SECONDS)
        probe: Connection | None = None
        try:
            while True:
                probe = await self._connect()
                self._note_return()
                while probe is not None:
                    await asyncio.sleep(_ASK_AGAIN_SECONDS)
                    probe = await self._ask(probe)
        finally:
            if probe is not None:
                probe.terminate()

    async def _ask(self, probe: Connection) -> "Connection | None":
        """Query the server; returns the connection for the next query, None if none works."""
        asking = asyncio.create_task(self._watchdog.ask(probe))
        newer: asyncio.Task[Connection] | None = None
        try:
            suspicious_after = self._silence_seconds * _SUSPICIOUS_SHARE
            if await _comes_true(asking.done, suspicious_after):
                return probe if has_succeeded(asking) else None
            newer = asyncio.create_task(self._open_and_ask())
            await _comes_true(
                lambda: asking.done() or has_succeeded(newer),
                self._silence_seconds - suspicious_after,
            )
            if asking.done():
                return probe if has_succeeded(asking) else None
            if not has_succeeded(newer):
                self._note_loss("nothing answers")
                self._connections.abort_all()
                return None
            log.warning("database_connections_dead")
            self._connections.abort_all()
            replacement, newer = newer.result(), None
            return replacement
        finally:
            await _abandon(newer)
            if not has_succeeded(asking):
                # A connection in the middle of a statement cannot be reused.
                probe.terminate()
                await asyncio.gather(asking, return_exceptions=True)

    async def _connect(self) -> Connection:
        """Connect, with retries. Attempts overlap: packets of the last one may have been lost."""
        attempts: set[asyncio.Task[Connection]] = set()
        try:
            while True:
                attempts.add(asyncio.create_task(self._connections.open_unlimited(PROBE)))
                done, _ = await asyncio.wait(
                    attempts, timeout=_CONNECT_AGAIN_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                # Several may succeed at the same moment: those that stay in the set are closed.
                for attempt in done:
                    attempts.remove(attempt)
                    if (error := attempt.exception()) is None:
                        return attempt.result()
                    self._note_loss(str(error) or type(error).__name__)
                    if isinstance(error, TimeoutError):
                        self._connections.abort_all()
                if done:
                    await asyncio.sleep(_AFTER_REFUSAL_SECONDS)
        finally:
            await asyncio.gather(*(_abandon(attempt) for attempt in attempts))

    async def _open_and_ask(self) -> Connection:
        """Open a connection and return it once it has responded.

        A server that is only busy would have responded on the older connection too.
        """
        probe = await self._connections.open_unlimited(PROBE)
        try:
            await probe.execute("SELECT 1")
        except BaseException:
            probe.terminate()
            raise
        return probe

    def _note_loss(self, reason: str) -> None:
        """Log a loss once, however many attempts fail."""
        if not self._connections.is_away:
            self._connections.is_away = True
            log.error("database_lost", reason=reason)

    def _note_return(self) -> None:
        if self._connections.is_away:
            self._connections.is_away = False
            log.warning("database_back")


async def _comes_true(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether a condition becomes true in time."""
    with suppress(TimeoutError):
        async with busy_timeout(seconds):
            while not condition():  # noqa: ASYNC110 (several things can make it true)
                await asyncio.sleep(_STEP_SECONDS)
            return True
    return False


async def _abandon(attempt: asyncio.Task[Connection] | None) -> None:
    """Cancel an attempt, and close the connection it may just have opened."""
    if attempt is None:
        return
    attempt.cancel()
    await asyncio.wait({attempt})
    if has_succeeded(attempt):
        attempt.result().terminate()
