"""Connections to PostgreSQL: opens them, keeps track of them, and aborts all if needed."""

import asyncio
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakSet

from sqlalchemy import URL

from chatapi.core.settings import Settings
from chatapi.db.busy_timeout import busy_timeout

if TYPE_CHECKING:
    import asyncpg

Connection: TypeAlias = "asyncpg.Connection[Any]"

_ANSWER_MARGIN_SECONDS = 5
"""The server stops a statement at its timeout; if it has not done so this much later, it does not
respond."""
_MAX_CONNECT_SECONDS = 24 * 60 * 60
"""The driver's own timeout must not end an attempt: it counts time in which we are busy."""
_SESSION_SETTINGS = {
    "jit": "off",  # costs more than it saves on statements as short as ours
    # A process that disappears must not keep its locks: the server checks that it is alive.
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
_LIMITS = {
    "lock_timeout": "10000",
    # A transaction that holds the lock of a realm and is idle for this long is stuck.
    "idle_in_transaction_session_timeout": "15000",
}


class DatabaseAwayError(ConnectionError):
    """The database did not respond a moment ago: requests fail at once instead of waiting."""


class PostgresConnections:
    """Opens connections, and aborts all of them when the server behind them is gone.

    While the database `is_away`, opening a connection fails at once. Open connections are used as
    long as they work.
    """

    def __init__(self, url: URL, settings: Settings) -> None:
        self.is_away = False
        self.on_open: Callable[[], None] = lambda: None
        """Called after every connection that was opened for the pool."""
        self._silence_seconds = settings.database_silence_seconds
        self._statement_seconds = settings.statement_timeout_seconds
        _, self._address = url.get_dialect()().create_connect_args(url)
        self._open: WeakSet[Connection] = WeakSet()
        self._opening: set[asyncio.Task[Connection]] = set()

    async def open(self) -> Connection:
        """Open a connection for the pool, whose statements have a time limit."""
        if self.is_away:
            raise DatabaseAwayError
        milliseconds = self._statement_seconds * 1000
        limits = {**_LIMITS, "statement_timeout": str(milliseconds)}
        opening = asyncio.create_task(
            self._connect("chatapi", limits, self._statement_seconds + _ANSWER_MARGIN_SECONDS)
        )
        self._opening.add(opening)
        try:
            connection = await opening
        except asyncio.CancelledError:
            if has_succeeded(opening):
                # It was opened at the very moment at which its request was cancelled.
                opening.result().terminate()
            me = asyncio.current_task()
            if me is not None and me.cancelling():
                raise
            # `abort_all` cancelled the attempt, not this task.
            raise DatabaseAwayError from None
        finally:
            self._opening.discard(opening)
        self._open.add(connection)
        self.on_open()
        return connection

    async def open_unlimited(self, name: str) -> Connection:
        """Open a connection without time limits, which `abort_all` does not abort.

        `name` is its application name on the server.
        """
        return await self._connect(name, {}, None)

    def abort_all(self) -> None:
        """Abort all connections and attempts to connect: waiting requests get an error now."""
        for opening in self._opening:
            opening.cancel()
        for connection in list(self._open):
            connection.terminate()
        self._open.clear()

    async def _connect(
        self, name: str, limits: dict[str, str], command_timeout: float | None
    ) -> Connection:
        # A server on SQLite does not load the driver of PostgreSQL.
        import asyncpg  # noqa: PLC0415

        async with busy_timeout(self._silence_seconds):
            connection: Connection = await asyncpg.connect(
                **self._address,
                server_settings={"application_name": name, **_SESSION_SETTINGS, **limits},
                timeout=_MAX_CONNECT_SECONDS,
                command_timeout=command_timeout,
            )
        self._notice_lost_packets(connection)
        return connection

    def _notice_lost_packets(self, connection: Connection) -> None:
        """Have the kernel close a connection whose other end acknowledges no packets."""
        transport: asyncio.Transport = connection._transport  # noqa: SLF001 (there is no other way)
        used: socket.socket = transport.get_extra_info("socket")
        if used.family == socket.AF_UNIX:
            return
        used.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        milliseconds = int(self._silence_seconds * 1000)
        for name, value in (
            ("TCP_KEEPIDLE", 2),
            ("TCP_KEEPINTVL", 1),
            ("TCP_KEEPCNT", 3),
            ("TCP_USER_TIMEOUT", milliseconds),
        ):
            # Not every system has all of them.
            if (option := getattr(socket, name, None)) is not None:
                used.setsockopt(socket.IPPROTO_TCP, option, value)


def has_succeeded(task: asyncio.Task[Any] | None) -> bool:
    """Whether a task has ended with a result."""
    return task is not None and task.done() and not task.cancelled() and task.exception() is None
