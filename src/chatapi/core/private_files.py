"""Folders and files of the service that no other account of the machine may read.

Everything the service stores on disk is created here, with its mode from the start, so that it does
not depend on the umask of the process that starts the service.
"""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import structlog

FOLDER_MODE = 0o700
FILE_MODE = 0o600
_OPEN_TO_OTHERS = 0o077

log = structlog.get_logger(__name__)


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents; an existing one is left unchanged."""
    if not folder.is_dir():
        make_private_folder(folder.parent)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Create an empty file; if it exists, remove the access of other accounts."""
    make_private_folder(path.parent)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
    except FileExistsError:
        restrict_to_owner([path])


def restrict_data_folder(folder: Path, names: Iterable[str]) -> None:
    """Remove other accounts' access to an existing data folder and its entries with these names.

    A folder with other content and none of these is not ours alone: it is left unchanged. The
    content of a folder that was private before cannot be reached, so it is not checked.
    """
    if not folder.is_dir():
        return
    folder = folder.resolve()
    ours = [folder / name for name in names if (folder / name).exists()]
    was_open = folder.stat().st_mode & _OPEN_TO_OTHERS
    if was_open and (ours or not any(folder.iterdir())):
        restrict_to_owner([folder])
        for path in ours:
            restrict_to_owner([path, *path.rglob("*")])


def restrict_to_owner(paths: Iterable[Path]) -> None:
    """Remove the access of other accounts; files owned by another account are left unchanged."""
    for path in paths:
        # Another process may remove it in the meantime.
        with suppress(FileNotFoundError):
            _close(path)


def _close(path: Path) -> None:
    found = path.lstat()
    is_wanted = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
    is_ours = found.st_uid == os.geteuid()
    if not (is_wanted and is_ours and found.st_mode & _OPEN_TO_OTHERS):
        return
    try:
        path.chmod(FOLDER_MODE if stat.S_ISDIR(found.st_mode) else FILE_MODE)
    except OSError as error:
        log.warning("stays_open_to_others", path=str(path), reason=error.strerror)
