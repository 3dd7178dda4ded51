"""Makes a backup of a database that may be in use, and of the files its rows refer to."""

import asyncio
import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO

from msgspec import Struct

from chatapi.backup.archive import ArchiveWriter, spool
from chatapi.backup.errors import NoTablesError
from chatapi.backup.file_references import list_file_keys
from chatapi.backup.lines import LineWriter
from chatapi.backup.manifest import (
    FILES,
    HEADER_NAME,
    MANIFEST_NAME,
    MISSING,
    REFERENCES,
    TABLES,
    FilesContent,
    Header,
    Manifest,
    TableContent,
)
from chatapi.core.clock import Clock
from chatapi.core.version import VERSION
from chatapi.db.database import Database
from chatapi.db.raw_tables import RawSnapshot, raw_snapshot
from chatapi.files.store import FileStore, MissingFileError

Report = Callable[[str], None]

_KEYS_AT_ONCE = 1_000


class BackupSummary(Struct, frozen=True):
    """What a backup contains."""

    header: Header
    manifest: Manifest
    bytes: int
    lost_files: list[str]
    """Files that the store does not have, although rows still refer to them."""


@dataclass
class _Files:
    """The files that were copied so far."""

    count: int = 0
    bytes: int = 0
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)
    missing: list[str] = field(default_factory=list)

    def content(self) -> FilesContent:
        return FilesContent(
            count=self.count,
            bytes=self.bytes,
            sha256=self.digest.hexdigest(),
            missing=len(self.missing),
        )


class _Backup:
    def __init__(
        self, database: Database, store: FileStore, stream: IO[bytes], clock: Clock, report: Report
    ) -> None:
        self._database = database
        self._store = store
        self._clock = clock
        self._report = report
        self._archive = ArchiveWriter(stream, clock.now().timestamp())

    async def create(self) -> BackupSummary:
        """Copy the rows of one snapshot, then the files: those that its rows refer to exist before.

        The snapshot is not kept while the files are copied: it would keep the database from
        cleaning up.
        """
        with TemporaryFile() as keys:
            async with raw_snapshot(self._database) as snapshot:
                header = await self._add_header(snapshot)
                tables = {name: await self._add_table(snapshot, name) for name in snapshot.tables}
                sequences = await snapshot.find_sequences()
                await self._add_references(snapshot, keys)
            files = await self._add_files(keys)
        manifest = Manifest(
            ended_at=self._clock.now(),
            tables=tables,
            sequences=sequences,
            files=files.content(),
        )
        await self._add_small(MANIFEST_NAME, manifest.model_dump_json().encode())
        await asyncio.to_thread(self._archive.end)
        lost = await self._find_lost(files.missing)
        return BackupSummary(header, manifest, self._archive.bytes, lost)

    async def _add_header(self, snapshot: RawSnapshot) -> Header:
        if snapshot.revision is None:
            raise NoTablesError(self._database.url.render_as_string(hide_password=True))
        deployments = [
            deployment
            async for page in snapshot.list_values("deployment", "id")
            for deployment in page
        ]
        header = Header(
            chatapi_version=VERSION,
            revision=snapshot.revision,
            database="sqlite" if self._database.is_sqlite else "postgresql",
            deployment=next(iter(deployments), None),
            began_at=self._clock.now(),
        )
        await self._add_small(HEADER_NAME, header.model_dump_json().encode())
        return header

    async def _add_table(self, snapshot: RawSnapshot, name: str) -> TableContent:
        writer = LineWriter(self._archive, f"{TABLES}{name}/", snapshot.columns(name))
        async for page in snapshot.list_rows(name):
            await asyncio.to_thread(writer.add, (list(row) for row in page))
        digest = await asyncio.to_thread(writer.finish)
        self._report(f"{name}: {writer.count} rows")
        return TableContent(rows=writer.count, sha256=digest)

    async def _add_references(self, snapshot: RawSnapshot, keys: IO[bytes]) -> None:
        """Add the list of files, and remember it in a temporary file."""
        writer = LineWriter(self._archive, REFERENCES)
        async for key in list_file_keys(snapshot):
            keys.write(f"{key}\n".encode())
            writer.add([key])
        await asyncio.to_thread(writer.finish)

    async def _add_files(self, keys: IO[bytes]) -> _Files:
        keys.seek(0)
        files = _Files()
        for line in keys:
            key = line.decode().rstrip("\n")
            with spool() as content:
                try:
                    await self._add_file(files, key, content)
                except MissingFileError:
                    # Removed with its message since the snapshot was taken, or lost before.
                    await self._add_small(f"{MISSING}{key}", b"")
                    files.missing.append(key)
            if files.count and files.count % _KEYS_AT_ONCE == 0:
                self._report(f"{files.count} files, {files.bytes} bytes")
        self._report(f"{files.count} files, {files.bytes} bytes")
        return files

    async def _add_file(self, files: _Files, key: str, content: IO[bytes]) -> None:
        digest = hashlib.sha256()
        async with self._store.read(key) as chunks:
            async for chunk in chunks:
                digest.update(chunk)
                content.write(chunk)
        size = content.tell()
        content.seek(0)
        sha256 = digest.hexdigest()
        await asyncio.to_thread(self._archive.add, f"{FILES}{key}", content, size, sha256)
        files.count += 1
        files.bytes += size
        files.digest.update(f"{key} {size} {sha256}\n".encode())

    async def _find_lost(self, missing: list[str]) -> list[str]:
        """Those of the missing files that rows refer to even now."""
        if not missing:
            return []
        async with raw_snapshot(self._database) as snapshot:
            referred = {key async for key in list_file_keys(snapshot)}
        return [key for key in missing if key in referred]

    async def _add_small(self, name: str, content: bytes) -> None:
        sha256 = hashlib.sha256(content).hexdigest()
        await asyncio.to_thread(self._archive.add, name, io.BytesIO(content), len(content), sha256)


async def create_backup(
    database: Database, store: FileStore, stream: IO[bytes], clock: Clock, report: Report
) -> BackupSummary:
    """Write a backup to a stream; `report` gets a line about the progress now and then."""
    return await _Backup(database, store, stream, clock, report).create()
