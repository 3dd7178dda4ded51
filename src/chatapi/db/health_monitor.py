"""Finds out within seconds that PostgreSQL has stopped answering, and when it is back."""

import asyncio
from collections.abc import Callable
from typing import Any

import structlog

from chatapi.db.awaited_answers import AwaitedAnswers
from chatapi.db.postgres import Connection, PostgresConnections

log = structlog.get_logger()

PROBE = "chatapi monitor"
"""What the server calls the connection the monitor asks on."""
_ASK_AGAIN_SECONDS = 0.25
_CONNECT_AGAIN_SECONDS = 0.5
"""An attempt that was swallowed by the network says nothing about the next one."""
_AFTER_REFUSAL_SECONDS = 0.25
_STEP_SECONDS = 0.05
_SUSPICIOUS_SHARE = 1 / 6
"""Of the longest silence: after this the monitor asks on a new connection as well."""


class HealthMonitor:
    """Asks a trivial question on a connection of its own, four times a second.

    How long a statement takes tells nothing about the health of the server: some take long. An
    answer to this question does not. If none comes, there are two cases. Either a new connection
    gets an answer sooner: then those that are open lead to a server that is gone, as after a
    failover. Or nothing answers at all. In both cases all connections of the process are aborted,
    so that requests fail at once instead of waiting one after the other; in the second case the
    database is away until it answers again. It begins soon after the first connection was opened:
    until then, only the kernel notices that packets are lost. If the server answers, it is asked
    about statements that take long as well, and connections it knows nothing of are aborted.
    """

    def __init__(
        self, connections: PostgresConnections, awaited: AwaitedAnswers, silence_seconds: float
    ) -> None:
        self._connections = connections
        self._awaited = awaited
        self._silence_seconds = silence_seconds
        self._running: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start, unless it runs already."""
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
        """The connection to ask on next; None: there is none that works."""
        asking = asyncio.create_task(self._awaited.ask(probe))
        newer: asyncio.Task[Connection] | None = None
        try:
            suspicious_after = self._silence_seconds * _SUSPICIOUS_SHARE
            if await _comes_true(asking.done, suspicious_after):
                return probe if _succeeded(asking) else None
            newer = asyncio.create_task(self._open_and_ask())
            await _comes_true(
                lambda: asking.done() or _succeeded(newer),
                self._silence_seconds - suspicious_after,
            )
            if asking.done():
                return probe if _succeeded(asking) else None
            if not _succeeded(newer):
                self._note_loss("nothing answers")
                self._connections.abort_all()
                return None
            log.warning("database_connections_dead")
            self._connections.abort_all()
            replacement, newer = newer.result(), None
            return replacement
        finally:
            await _abandon(newer)
            if not _succeeded(asking):
                # A connection in the middle of a statement is of no use to anybody.
                probe.terminate()
                await asyncio.gather(asking, return_exceptions=True)

    async def _connect(self) -> Connection:
        """Try until it works. Attempts overlap: packets of the last one may have been lost."""
        attempts: set[asyncio.Task[Connection]] = set()
        try:
            while True:
                attempts.add(asyncio.create_task(self._connections.open_unlimited(PROBE)))
                done, attempts = await asyncio.wait(
                    attempts, timeout=_CONNECT_AGAIN_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                for attempt in done:
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
        """A connection that has answered: a busy server would have answered the older one too."""
        probe = await self._connections.open_unlimited(PROBE)
        try:
            await probe.execute("SELECT 1")
        except BaseException:
            probe.terminate()
            raise
        return probe

    def _note_loss(self, reason: str) -> None:
        """One log line for a loss, however many attempts fail."""
        if not self._connections.is_away:
            self._connections.is_away = True
            log.error("database_lost", reason=reason)

    def _note_return(self) -> None:
        if self._connections.is_away:
            self._connections.is_away = False
            log.warning("database_back")


async def _comes_true(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether a condition holds in time, counted in steps of the event loop.

    A process that was busy or stopped for long has not listened meanwhile: that is no silence.
    """
    for _ in range(max(1, round(seconds / _STEP_SECONDS))):
        await asyncio.sleep(_STEP_SECONDS)
        if condition():
            return True
    return False


def _succeeded(task: asyncio.Task[Any] | None) -> bool:
    return task is not None and task.done() and not task.cancelled() and task.exception() is None


async def _abandon(attempt: asyncio.Task[Connection] | None) -> None:
    """Close what may just have been opened."""
    if attempt is None:
        return
    attempt.cancel()
    await asyncio.wait({attempt})
    if _succeeded(attempt):
        attempt.result().terminate()
