"""Finds connections on which PostgreSQL has answered, or never heard the question.

A statement may take long. Whether it is still at work, the server itself knows: it is asked on
another connection.
"""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import TypeAlias

import structlog

from chatapi.db.postgres import Connection

log = structlog.get_logger()

_LONG_SECONDS = 1.0
"""Who has waited for less is not asked about."""
_STATES = "SELECT pid, state FROM pg_stat_activity WHERE pid = ANY($1)"
_AT_WORK = "active"
# Another connection may have got the number meanwhile: one that does nothing is soon replaced.
_END_BACKEND = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid = $1 AND state LIKE 'idle%' AND state_change < now() - interval '1 second'"
)


class AwaitedAnswer:
    """A context manager around each wait for an answer on one connection."""

    __slots__ = ("connection", "pid", "since")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.pid: int = connection.get_server_pid()
        self.since: float | None = None
        """When the wait that lasts began."""

    def __enter__(self) -> None:
        self.since = time.monotonic()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.since = None


Wait: TypeAlias = tuple[AwaitedAnswer, float]


class AwaitedAnswers:
    """All waits of a process, and those that would last for ever.

    A connection can die alone: something between us and the server loses its packets, and goes
    on acknowledging them, so that no kernel notices. The server then says that it is idle, or has
    never heard of it, while we wait. What it says is believed the second time: an answer that was
    on its way has arrived by then.
    """

    def __init__(self) -> None:
        self._held: set[AwaitedAnswer] = set()
        self._suspects: set[Wait] = set()

    def add(self, connection: Connection) -> AwaitedAnswer:
        """Watch a connection that somebody begins to use."""
        awaited = AwaitedAnswer(connection)
        self._held.add(awaited)
        return awaited

    def remove(self, awaited: AwaitedAnswer) -> None:
        self._held.discard(awaited)

    async def ask(self, probe: Connection) -> None:
        """Ask the server something: about those who wait long, or whether it is there at all."""
        waits = self._long_waits()
        if not waits:
            self._suspects = set()
            await probe.execute("SELECT 1")
            return
        unanswered = await _unanswered(probe, waits)
        hopeless = self._suspects & unanswered
        self._suspects = unanswered - hopeless
        for awaited, since in hopeless:
            if awaited.since == since:
                log.warning("database_connection_dead")
                awaited.connection.terminate()
                # It may hold a lock, for which others wait.
                await probe.fetch(_END_BACKEND, awaited.pid)

    def _long_waits(self) -> list[Wait]:
        now = time.monotonic()
        return [
            (awaited, awaited.since)
            for awaited in self._held
            if awaited.since is not None and now - awaited.since >= _LONG_SECONDS
        ]


async def _unanswered(probe: Connection, waits: Sequence[Wait]) -> set[Wait]:
    own_pid = probe.get_server_pid()
    rows = await probe.fetch(_STATES, [own_pid, *(awaited.pid for awaited, _ in waits)])
    states = {row["pid"]: row["state"] for row in rows}
    if states.get(own_pid) != _AT_WORK:
        # A pooler in between gives numbers of its own, or the server keeps no account.
        return set()
    return {wait for wait in waits if states.get(wait[0].pid) != _AT_WORK}
