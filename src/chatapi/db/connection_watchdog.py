"""Finds dead connections: PostgreSQL has responded on them, or never received the statement.

A statement may take long. Only the server knows whether it is still running: it is asked on
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
"""The server is not asked about shorter waits."""
_STATES = "SELECT pid, state FROM pg_stat_activity WHERE pid = ANY($1)"
_AT_WORK = "active"
# Another connection may have got the pid meanwhile: ending an idle one does no harm, since the pool
# replaces it.
_END_BACKEND = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE pid = $1 AND state LIKE 'idle%' AND state_change < now() - interval '1 second'"
)


class WatchedConnection:
    """A context manager around each wait for a response on one connection."""

    __slots__ = ("connection", "pid", "since")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.pid: int = connection.get_server_pid()
        self.since: float | None = None
        """When the current wait began; None: there is none."""

    def __enter__(self) -> None:
        self.since = time.monotonic()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.since = None


Wait: TypeAlias = tuple[WatchedConnection, float]


class ConnectionWatchdog:
    """All waits of a process; ends those that would never get a response.

    A single connection can die: something between this process and the server loses its packets
    but goes on acknowledging them, so that no kernel notices. The server then reports the
    connection as idle, or does not know it, while this process waits. Only its second report in a
    row counts: a response that was on its way has arrived by then.
    """

    def __init__(self) -> None:
        self._held: set[WatchedConnection] = set()
        self._suspects: set[Wait] = set()

    def add(self, connection: Connection) -> WatchedConnection:
        """Watch a connection that a session begins to use."""
        watched = WatchedConnection(connection)
        self._held.add(watched)
        return watched

    def remove(self, watched: WatchedConnection) -> None:
        self._held.discard(watched)

    async def ask(self, probe: Connection) -> None:
        """Query the server: about long waits if there are any, otherwise `SELECT 1`."""
        waits = self._long_waits()
        if not waits:
            self._suspects = set()
            await probe.execute("SELECT 1")
            return
        unanswered = await _unanswered(probe, waits)
        hopeless = self._suspects & unanswered
        self._suspects = unanswered - hopeless
        for watched, since in hopeless:
            if watched.since == since:
                log.warning("database_connection_dead")
                watched.connection.terminate()
                # Its backend may hold a lock that other transactions wait for.
                await probe.fetch(_END_BACKEND, watched.pid)

    def _long_waits(self) -> list[Wait]:
        now = time.monotonic()
        return [
            (watched, watched.since)
            for watched in self._held
            if watched.since is not None and now - watched.since >= _LONG_SECONDS
        ]


async def _unanswered(probe: Connection, waits: Sequence[Wait]) -> set[Wait]:
    own_pid = probe.get_server_pid()
    rows = await probe.fetch(_STATES, [own_pid, *(watched.pid for watched, _ in waits)])
    states = {row["pid"]: row["state"] for row in rows}
    if states.get(own_pid) != _AT_WORK:
        # A connection pooler in between has pids of its own, or the server does not track activity.
        return set()
    return {wait for wait in waits if states.get(wait[0].pid) != _AT_WORK}
