"""Checks of the data folder: modes, owner, and whether the server can write there."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from chatapi.cli.doctor.finding import Area, Finding
from chatapi.core.settings import SQLITE_FILE, UPLOADS_FOLDER, Settings

_FILES = Area("files")
_OPEN_TO_OTHERS = 0o077
_NAMES = (SQLITE_FILE, f"{SQLITE_FILE}-wal", f"{SQLITE_FILE}-shm", UPLOADS_FOLDER)


def check_files(settings: Settings) -> list[Finding]:
    """Returns at least one finding."""
    folder = settings.data_dir
    if not folder.exists():
        return [_FILES.ok(f"{folder} does not exist yet: the first start creates it")]
    if not folder.is_dir():
        return [_FILES.error(f"{folder} is not a folder: set CHATAPI_DATA_DIR to one")]
    paths = [folder, *(folder / name for name in _NAMES if (folder / name).exists())]
    faults = [finding for path in paths for finding in _check(path)]
    return faults or [_FILES.ok(f"{folder} is private, and the server can write there")]


def _check(path: Path) -> Iterator[Finding]:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & _OPEN_TO_OTHERS:
        private = "700" if path.is_dir() else "600"
        yield _FILES.warning(
            f"other accounts of this machine can read {path} (mode {mode:o}): "
            f"run chmod {private} {path}"
        )
    if not os.access(path, os.W_OK):
        yield _FILES.error(
            f"this account cannot write to {path}: run the server as its owner, or change the owner"
        )
