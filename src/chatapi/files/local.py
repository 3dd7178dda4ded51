"""Files in a local folder, for a service that runs on one machine."""

import os
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

from chatapi.core.private_files import (
    FOLDER_MODE,
    SHARED_FILE_MODE,
    SHARED_FOLDER_MODE,
    make_private_folder,
    sync_folder,
)
from chatapi.core.worker_threads import WorkerThreads
from chatapi.files.store import CHUNK_BYTES, THREADS, ByteRange, MissingFileError


class LocalStore:
    """Writes a temporary file and renames it: files are complete, even after a power cut."""

    def __init__(self, folder: Path, *, is_shared: bool = False) -> None:
        """With `is_shared`, the service's group may read the files: a proxy sends them."""
        self._folder = folder
        self._is_shared = is_shared
        self._threads = WorkerThreads("files", THREADS)

    async def put(self, key: str, content: IO[bytes], digest: str) -> None:
        del digest
        await self._threads.run(_write, self._folder / key, content, self._is_shared)

    @asynccontextmanager
    async def read(
        self, key: str, part: ByteRange | None = None
    ) -> AsyncIterator[AsyncIterator[bytes]]:
        first = 0 if part is None else part.first
        async with self._threads.open_file(lambda: _open(self._folder, key, first)) as file:
            yield self._chunks(file) if part is None else self._chunks(file, part.size)

    async def delete(self, key: str) -> None:
        await self._threads.run((self._folder / key).unlink, missing_ok=True)

    async def list_old(self, before: datetime) -> AsyncIterator[list[str]]:
        """Yield a page for each folder: files are spread over thousands of them."""
        for folder in await self._threads.run(_list_folders, self._folder):
            yield await self._threads.run(_list_old, self._folder, folder, before.timestamp())

    async def close(self) -> None:
        self._threads.close()

    async def _chunks(self, file: IO[bytes], size: int = sys.maxsize) -> AsyncIterator[bytes]:
        """Yield at most `size` bytes, from where the file stands."""
        while chunk := await self._threads.run(file.read, min(CHUNK_BYTES, size)):
            yield chunk
            size -= len(chunk)


def _open(folder: Path, key: str, first: int) -> IO[bytes]:
    try:
        file = (folder / key).open("rb")
    except FileNotFoundError:
        raise MissingFileError(key) from None
    file.seek(first)
    return file


def _write(path: Path, content: IO[bytes], is_shared: bool) -> None:  # noqa: FBT001 (run in a thread)
    make_private_folder(path.parent, SHARED_FOLDER_MODE if is_shared else FOLDER_MODE)
    content.seek(0)
    # Temporary files are readable by their owner only, and remain so after the rename unless they
    # are shared. Files that a killed process leaves behind are recognized by their names.
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
        try:
            shutil.copyfileobj(content, file, CHUNK_BYTES)
            file.flush()
            if is_shared:
                os.fchmod(file.fileno(), SHARED_FILE_MODE)
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    sync_folder(path.parent)


def _list_folders(root: Path) -> list[Path]:
    """Return the folders that contain files, two levels down."""
    return sorted(path for path in root.glob("*/*") if path.is_dir())


def _list_old(root: Path, folder: Path, before: float) -> list[str]:
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if _is_file_before(entry, before)]
    return [str(folder.relative_to(root) / name) for name in sorted(names)]


def _is_file_before(entry: os.DirEntry[str], before: float) -> bool:
    try:
        return entry.is_file(follow_symlinks=False) and entry.stat().st_mtime < before
    except FileNotFoundError:
        # The file was renamed or removed meanwhile.
        return False
