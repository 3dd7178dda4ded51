"""Database engines that outlive an application, for the applications of later tests.

An engine remembers every statement it has compiled, and PostgreSQL's connections what they have
prepared: making both anew was more than half of what a test cost. Nothing else is kept; an
application of a test has a runtime, caches and queues of its own.
"""

import asyncio
from collections import defaultdict
from collections.abc import Hashable
from pathlib import Path

from sqlalchemy import event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool
from typing_extensions import override

from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.health_monitor import HealthMonitor
from chatapi.db.sqlite_file import SqliteFile


class KeptDatabase(Database):
    """A database that can be used again after it was closed."""

    def __init__(self, settings: Settings, *, stays_connected: bool) -> None:
        super().__init__(settings)
        self._stays_connected = stays_connected
        self._silence_seconds = settings.database_silence_seconds
        self.is_free = False
        if self.is_sqlite:
            event.listen(self.engine.sync_engine, "connect", _forgo_durability)

    def open_again(self) -> None:
        """Reset it for the next application; only the engine's caches are kept."""
        self.is_free = False
        self._writer_turns.clear()
        if self._postgres is None:
            assert self.url.database is not None
            self._file = SqliteFile(Path(self.url.database))
        else:
            self._monitor = HealthMonitor(self._postgres, self.watchdog, self._silence_seconds)
            self._postgres.on_open = self._monitor.start
            if self._postgres._open:
                self._monitor.start()

    @override
    async def close(self) -> None:
        """Keep it for reuse, unless something is left that a new application should not find."""
        pool = self.engine.pool
        assert isinstance(pool, QueuePool)
        is_away = self._postgres is not None and self._postgres.is_away
        if not self._stays_connected:
            # The file is replaced before the next test; connections would not notice, so none may
            # be left, however long closing them takes on a busy machine.
            await self.disconnect()
        elif is_away or self._returning or pool.checkedout():
            await super().close()
        elif self._monitor is not None:
            await self._monitor.close()
        self.is_free = True

    async def disconnect(self) -> None:
        """Close all connections that are not in use; the next statement opens one."""
        await asyncio.gather(*self._returning)
        await self.engine.dispose()

    async def close_for_good(self) -> None:
        await super().close()


def _forgo_durability(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    """No test cuts the power: a commit does not wait for the disk, nor does PostgreSQL's."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous = OFF")
    cursor.close()


class KeptDatabases:
    """Hands out engines that are free; a test with several applications gets several."""

    def __init__(self) -> None:
        self._stays_connected: dict[str, bool] = {}
        self._kept: defaultdict[Hashable, list[KeptDatabase]] = defaultdict(list)

    def keep(self, url: str, *, stays_connected: bool) -> None:
        """Keep engines for the database at this address until it is `dropped`.

        Their connections stay open as well, unless files take the place of the one they opened.
        """
        self._stays_connected[url] = stays_connected

    def has(self, url: str) -> bool:
        """Whether it is the address of a database that tests share."""
        return url in self._stays_connected

    def lend(self, settings: Settings) -> Database | None:
        """An engine for these settings; None if their database is one of a single test."""
        url = settings.effective_database_url
        if url not in self._stays_connected:
            return None
        kept = self._kept[
            url,
            settings.database_pool_size,
            settings.database_silence_seconds,
            settings.statement_timeout_seconds,
        ]
        for database in kept:
            if database.is_free:
                database.open_again()
                return database
        kept.append(KeptDatabase(settings, stays_connected=self._stays_connected[url]))
        return kept[-1]

    async def disconnect(self, url: str) -> None:
        """Close the connections of all engines that applications have returned."""
        for key in self._keys_of(url):
            for database in self._kept[key]:
                await database.disconnect()

    async def drop(self, url: str) -> None:
        del self._stays_connected[url]
        for key in self._keys_of(url):
            for database in self._kept.pop(key):
                await database.close_for_good()

    def _keys_of(self, url: str) -> list[Hashable]:
        return [key for key in self._kept if isinstance(key, tuple) and key[0] == url]


kept_databases = KeptDatabases()
"""Those of this worker: an engine belongs to one event loop, and a worker has one."""
