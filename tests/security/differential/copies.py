"""A database that is built once and copied for each round of readers."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from tests.support.databases import SqliteTemplate
from tests.support.kept_databases import kept_databases
from tests.support.servers import TEMPLATE
from tests.support.temporary_postgres import TemporaryPostgres


@dataclass(frozen=True)
class Pair:
    """The addresses of a database and of its copy; nothing may be connected while copying."""

    original: str
    copy: str
    folder: Path
    postgres: TemporaryPostgres | None = None

    async def refresh_copy(self) -> None:
        if self.postgres is None:
            _copy_sqlite(self.folder / "chatapi.sqlite3", self.folder / "copy.sqlite3")
            return
        source, target = (url.rpartition("/")[2].partition("?")[0] for url in self._urls)
        await self.postgres.drop_database(target)
        await self.postgres.create_database(target, template=source)

    @property
    def _urls(self) -> tuple[str, str]:
        return self.original, self.copy


def _copy_sqlite(source: Path, target: Path) -> None:
    """Copy a database with what is still in its write-ahead log; the target may be an old copy."""
    for ending in ("", "-wal", "-shm"):
        target.with_name(target.name + ending).unlink(missing_ok=True)
    with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(target)) as copy:
        original.backup(copy)


@asynccontextmanager
async def sqlite_pair(template: SqliteTemplate, folder: Path) -> AsyncIterator[Pair]:
    pair = Pair(template.copy_to(folder), f"sqlite+aiosqlite:///{folder / 'copy.sqlite3'}", folder)
    # The applications of all rounds compile their statements once.
    for url in (pair.original, pair.copy):
        kept_databases.keep(url, stays_connected=False)
    try:
        yield pair
    finally:
        for url in (pair.original, pair.copy):
            await kept_databases.drop(url)


@asynccontextmanager
async def postgres_pair(
    postgres: TemporaryPostgres, worker_name: str, folder: Path
) -> AsyncIterator[Pair]:
    names = f"differential_{worker_name}", f"differential_copy_{worker_name}"
    for name in names:
        await postgres.drop_database(name)
    await postgres.create_database(names[0], template=TEMPLATE)
    try:
        original, copied = map(postgres.url_for, names)
        yield Pair(original, copied, folder, postgres)
    finally:
        for name in names:
            await postgres.drop_database(name)
