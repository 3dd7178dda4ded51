"""Restores a backup into an empty database of either kind, completely or not at all."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, closing
from typing import IO

from msgspec import Struct

from chatapi.backup.errors import (
    DamagedBackupError,
    DatabaseNotEmptyError,
    FileNotStoredError,
    NewerBackupError,
)
from chatapi.backup.manifest import Header, Manifest
from chatapi.backup.reader import BackupReader, Item, Rows, StoredFile
from chatapi.db.database import Database
from chatapi.db.migrate import newest_revision
from chatapi.db.raw_loading import EmptyDatabase, NotEmptyError, RefusedRowsError, filling
from chatapi.files.store import FileStore

Report = Callable[[str], None]

_FILES_AT_ONCE = 1_000


class RestoreSummary(Struct, frozen=True):
    """What was restored."""

    header: Header
    manifest: Manifest
    revision: str
    """That the database has now."""


async def restore_backup(
    database: Database, store: FileStore, stream: IO[bytes], report: Report
) -> RestoreSummary:
    """Restore a backup; the rows appear together when everything else, files included, is there.

    The backup is checked on the way. If it turns out to be damaged, the database stays empty; files
    that were stored by then remain, where no row refers to them.
    """
    reader = BackupReader(stream)
    try:
        async with filling(database) as target:
            await _Restore(reader, target, store, report).run()
    except NotEmptyError:
        raise DatabaseNotEmptyError(database.url.render_as_string(hide_password=True)) from None
    except RefusedRowsError as error:
        raise DamagedBackupError([*reader.faults, str(error)]) from error
    if reader.header is None or reader.manifest is None:
        raise DamagedBackupError(reader.faults)
    return RestoreSummary(reader.header, reader.manifest, newest_revision())


class _Restore:
    def __init__(
        self, reader: BackupReader, target: EmptyDatabase, store: FileStore, report: Report
    ) -> None:
        self._reader = reader
        self._target = target
        self._store = store
        self._report = report
        self._table = ""
        self._files = 0

    async def run(self) -> None:
        async with aclosing(self._items()) as items:
            async for item in items:
                await self._add(item)

    async def _add(self, item: Item) -> None:
        match item:
            case Header():
                await self._begin(item)
            case Rows():
                await self._add_rows(item)
            case StoredFile():
                await self._add_file(item)
            case Manifest():
                self._report(f"{self._files} files; checking what rows refer to")
                await self._target.finish(item.sequences)
                await self._target.migrate()

    async def _items(self) -> AsyncGenerator[Item, None]:
        """Read the backup in a thread, and end at the first fault."""
        with closing(self._reader.read()) as items:
            while True:
                item = await asyncio.to_thread(next, items, None)
                if self._reader.faults:
                    raise DamagedBackupError(self._reader.faults)
                if item is None:
                    return
                yield item

    async def _begin(self, header: Header) -> None:
        if header.revision > newest_revision():
            raise NewerBackupError(header.chatapi_version, header.revision, newest_revision())
        await self._target.create_tables(header.revision)

    async def _add_rows(self, rows: Rows) -> None:
        if rows.table != self._table:
            self._table = rows.table
            self._report(rows.table)
        await self._target.insert(rows.table, rows.columns, rows.rows)

    async def _add_file(self, file: StoredFile) -> None:
        try:
            await self._store.put(file.key, file.content, file.sha256)
        except OSError as error:
            raise FileNotStoredError(file.key, error.strerror or str(error)) from error
        self._files += 1
        if self._files % _FILES_AT_ONCE == 0:
            self._report(f"{self._files} files")
