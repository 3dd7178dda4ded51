"""The SQLite file as the process opened it, which may not be the one that has its name later.

An open file outlives its name. Whoever deletes it under a running process, or puts another one in
its place, would be answered as before, and all that is written then would end with the process.
"""

import os
from pathlib import Path

import structlog

log = structlog.get_logger()


class DatabaseFileLostError(ConnectionError):
    """The file at the database's path is not the one that this process has open."""


class SqliteFile:
    """Remembers which file it was; looking takes about two microseconds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._opened = _identity(path)
        self.is_lost = False

    def require(self) -> None:
        """Raise if the file was deleted or replaced; it may come back, by its old name."""
        is_lost = _identity(self._path) != self._opened
        if is_lost != self.is_lost:
            self.is_lost = is_lost
            if is_lost:
                log.error(
                    "database_file_lost",
                    path=str(self._path),
                    remedy="put the same file back, or start the server again",
                )
            else:
                log.info("database_file_back", path=str(self._path))
        if is_lost:
            raise DatabaseFileLostError(f"{self._path} was deleted or replaced")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 (half as slow, and it is asked at every request)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
