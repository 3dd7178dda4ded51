"""The engine: one object that opens connections to SQLite or PostgreSQL."""

import asyncio
import sqlite3
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import orjson
import structlog
from sqlalchemy import URL, Connection, ExceptionContext, NullPool, event, make_url
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.ext.asyncio.engine import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection, QueuePool

from chatapi.core.ids import RealmId
from chatapi.core.private_files import make_private_file, restrict_to_owner
from chatapi.core.settings import Settings
from chatapi.core.tracing import Wait
from chatapi.db.connection_share import MAX_WAIT_SECONDS, ConnectionShare
from chatapi.db.connection_watchdog import ConnectionWatchdog, WatchedConnection
from chatapi.db.health_monitor import HealthMonitor
from chatapi.db.postgres import PostgresConnections
from chatapi.db.sqlite_driver import EagerConnection, connect
from chatapi.db.sqlite_file import SqliteFile
from chatapi.db.writer_turns import WriterTurn

log = structlog.get_logger()

PooledT = TypeVar("PooledT", AsyncConnection, PoolProxiedConnection)

_OLDEST_SQLITE = (3, 38, 0)
_SQLITE_POOL_SIZE = 10
_MAX_HEAVY_READS = 4
_MAX_STATE_READS = 4
_FREE_CONNECTIONS = 2
"""Connections left to other requests while all slots for long reads are taken."""
_MAX_CLOSE_SECONDS = 2.0


class Database:
    """Connections for reading and writing, and the order of this process's writers."""

    def __init__(self, settings: Settings) -> None:
        self.url = make_url(settings.effective_database_url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._postgres = None if self.is_sqlite else PostgresConnections(self.url, settings)
        self._monitor: HealthMonitor | None = None
        self._file: SqliteFile | None = None
        self.round_trips = 0
        """Statements and commits that were sent to the database by this process."""
        self.trace_wait: Callable[[Wait], Wait] | None = None
        """With tracing, adds a span to each wait of a connection."""
        self.trace_statement: Callable[[str], None] | None = None
        """With tracing, names the span of a statement that runs on the driver."""
        self.precompiled: set[str] = set()
        """What the engine has compiled ahead, by the names of `db/precompilation.py`."""
        self.watchdog = ConnectionWatchdog()
        """The connections on which a response of PostgreSQL is awaited."""
        if self._postgres is None:
            self.engine = self._create_sqlite_engine()
        else:
            self.engine = _postgres(self.url, self._postgres, settings.database_pool_size)
            self._monitor = HealthMonitor(
                self._postgres, self.watchdog, settings.database_silence_seconds
            )
            self._postgres.on_open = self._monitor.start
        # Reads outside a transaction save the round trips of BEGIN and ROLLBACK.
        self.reader = self.engine.execution_options(
            **({"sqlite_begin": None} if self.is_sqlite else _AUTOCOMMIT)
        )
        self.pool_size = _SQLITE_POOL_SIZE if self.is_sqlite else settings.database_pool_size
        self.most_heavy_reads = max(1, min(_MAX_HEAVY_READS, self.pool_size // 2))
        """How many connections may run expensive reads; the others remain for other requests."""
        free = self.pool_size - self.most_heavy_reads - _FREE_CONNECTIONS
        self.most_state_reads = max(1, min(_MAX_STATE_READS, free))
        """How many further ones may read the state of new queues, which all clients may need."""
        self.connecting_clients = ConnectionShare(max(1, self.pool_size // 2))
        """For what each client needs once: hundreds of them may connect at the same time."""
        self._returning: set[asyncio.Future[None]] = set()
        """Connections of cancelled callers that are being returned to the pool."""
        self._writer_turns: defaultdict[RealmId | None, WriterTurn] = defaultdict(WriterTurn)

    def _create_sqlite_engine(self) -> AsyncEngine:
        if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
            raise RuntimeError(
                f"SQLite {sqlite3.sqlite_version} is too old; 3.38 or newer is needed"
            )
        if (path := _path_of(self.url)) is not None:
            _make_private(path)
            self._file = SqliteFile(path)

        async def open_connection() -> EagerConnection:
            arguments, options = engine.dialect.create_connect_args(self.url)
            if path is None:
                return await connect(*arguments, **options)
            # A file that was lost must not be replaced by an empty one.
            uri = f"{path.as_uri()}?mode=rw"
            return await connect(uri, check=self.require_file, **{**options, "uri": True})

        engine = create_async_engine(
            self.url,
            **_FAST_JSON,
            async_creator=open_connection,
            pool_size=_SQLITE_POOL_SIZE,
            max_overflow=0,
            pool_timeout=MAX_WAIT_SECONDS,
            **_LIFO_POOL,
            hide_parameters=True,
        )
        event.listen(engine.sync_engine, "begin", _begin_sqlite_transaction)
        event.listen(engine.sync_engine, "close", _end_sqlite_transaction)
        return engine

    @property
    def used_connections(self) -> int:
        """How many connections are checked out of the pool."""
        pool = self.engine.pool
        return pool.checkedout() if isinstance(pool, QueuePool) else 0

    def writer_turn(self, realm_id: RealmId | None) -> WriterTurn:
        """Return the lock at which writers of this process wait, in order, without a connection.

        SQLite has one writer; PostgreSQL has one per realm, by the lock on the realm's clock.
        """
        return self._writer_turns[None if self.is_sqlite else realm_id]

    async def connect(self, engine: AsyncEngine) -> AsyncConnection:
        """Check out a connection; if the caller is cancelled meanwhile, it is returned."""
        return await self.check_out(partial(_start, engine))

    async def check_out(self, connect: Callable[[], Coroutine[Any, Any, PooledT]]) -> PooledT:
        """Check out a connection as `connect` does; if the caller is cancelled, it is returned."""
        connecting = asyncio.ensure_future(connect())
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            returning = asyncio.ensure_future(_give_back(connecting))
            self._returning.add(returning)
            returning.add_done_callback(self._returning.discard)
            raise

    def watch(self, connection: AsyncConnection) -> WatchedConnection | None:
        """Watch a connection in use for a missing response; not needed for SQLite."""
        if self._postgres is None or connection.sync_connection is None:
            return None
        driver = connection.sync_connection.connection.driver_connection
        return None if driver is None else self.watchdog.add(driver)

    @asynccontextmanager
    async def unlimited_engine(
        self, name: str = "chatapi migration"
    ) -> AsyncGenerator[AsyncEngine, None]:
        """Open an engine without time limits, for what takes longer than requests.

        `name` is its application name on PostgreSQL.
        """
        if self._postgres is None:
            yield self.engine
            return
        connect = partial(self._postgres.open_unlimited, name)
        engine = create_async_engine(self.url, async_creator=connect, poolclass=NullPool)
        try:
            yield engine
        finally:
            await engine.dispose()

    def with_snapshots(self, engine: AsyncEngine) -> AsyncEngine:
        """Return the engine with transactions that only read, and see one state of the database."""
        return engine.execution_options(
            **({"sqlite_begin": "DEFERRED"} if self.is_sqlite else _REPEATABLE)
        )

    def require_file(self) -> None:
        """Raise if the SQLite file was deleted or replaced under this process."""
        if self._file is not None:
            self._file.require()

    @property
    def is_file_lost(self) -> bool:
        """The result of the last `require_file`, which is called at least twice a second."""
        return self._file is not None and self._file.is_lost

    async def close(self) -> None:
        """Close all connections; abort them if the server does not respond in time."""
        if self._monitor is not None:
            await self._monitor.close()
        try:
            async with asyncio.timeout(_MAX_CLOSE_SECONDS):
                await asyncio.gather(*self._returning)
                await self.engine.dispose()
        except TimeoutError:
            log.warning("database_not_closed")
        finally:
            if self._postgres is not None:
                self._postgres.abort_all()


async def _start(engine: AsyncEngine) -> AsyncConnection:
    return await engine.connect()


async def _give_back(connecting: asyncio.Future[PooledT]) -> None:
    with suppress(Exception):
        connection = await connecting
        if isinstance(connection, AsyncConnection):
            await connection.close()
        else:
            connection.close()


_AUTOCOMMIT = {"isolation_level": "AUTOCOMMIT"}
_REPEATABLE = {"isolation_level": "REPEATABLE READ"}


def _to_json(value: object) -> str:
    return orjson.dumps(value).decode()


_FAST_JSON: dict[str, Any] = {"json_serializer": _to_json, "json_deserializer": orjson.loads}


# The connection used last is most likely to have the next statements prepared, and their plans.
_LIFO_POOL: dict[str, Any] = {"pool_use_lifo": True}


def _postgres(url: URL, connections: PostgresConnections, pool_size: int) -> AsyncEngine:
    engine = create_async_engine(
        url,
        **_FAST_JSON,
        async_creator=connections.open,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=MAX_WAIT_SECONDS,
        **_LIFO_POOL,
        hide_parameters=True,  # they contain texts of users and hashed keys
    )
    event.listen(engine.sync_engine, "checkout", _refuse_closed_connection)
    event.listen(engine.sync_engine, "handle_error", _discard_connection)
    return engine


def _refuse_closed_connection(
    connection: Any,  # noqa: ANN401 (a driver object)
    _entry: ConnectionPoolEntry,
    _proxy: PoolProxiedConnection,
) -> None:
    """Have the pool open another connection instead of one that was closed while idle."""
    if connection.driver_connection.is_closed():
        raise DisconnectionError


def _discard_connection(context: ExceptionContext) -> None:
    """Discard a connection whose statement timed out."""
    if isinstance(context.original_exception, TimeoutError):
        context.is_disconnect = True
    # Other connections are checked at checkout. SQLAlchemy's invalidation compares wall-clock
    # times: after the clock was set back, it would reopen every connection until the clock has
    # caught up.
    context.invalidate_pool_on_disconnect = False


def _path_of(url: URL) -> Path | None:
    if not url.database or url.database == ":memory:":
        return None
    return Path(url.database).resolve()


def _make_private(path: Path) -> None:
    """Restrict the database file to its owner; SQLite gives the files beside it the same mode."""
    make_private_file(path)
    restrict_to_owner(path.with_name(f"{path.name}{suffix}") for suffix in ("-wal", "-shm"))


def _begin_sqlite_transaction(connection: Connection) -> None:
    """Begin a writer with the write lock: upgrading a read lock later can fail.

    A reader begins no transaction: each statement then commits by itself.
    """
    how = connection.get_execution_options().get("sqlite_begin", "IMMEDIATE")
    if how is not None:
        connection.exec_driver_sql(f"BEGIN {how}")


def _end_sqlite_transaction(connection: Any, _entry: ConnectionPoolEntry) -> None:  # noqa: ANN401 (a driver object)
    """Roll back before closing: a cancelled statement may run on and must not hold the lock."""
    connection.rollback()
