"""Folders and files of the service that no other account of the machine may read.

The exception are uploads that a proxy on the same machine sends: its account, a member of the
service's group, may read them, and nothing else.

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
SHARED_FOLDER_MODE = 0o750
SHARED_FILE_MODE = 0o640
_OPEN_TO_OTHERS = 0o077
_PASSAGE_FOR_GROUP = 0o010
"""With this alone, members of the group cannot list a folder, but reach what is shared in it."""

log = structlog.get_logger(__name__)


def make_private_folder(folder: Path, mode: int = FOLDER_MODE) -> None:
    """Create a folder and its missing parents; an existing one is left unchanged."""
    if not folder.is_dir():
        make_private_folder(folder.parent, mode)
        folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        if mode != FOLDER_MODE:
            # The umask may have removed what the group is to have.
            folder.chmod(mode)


def share_with_group(data_folder: Path, name: str) -> None:
    """Let the service's group read one folder in the data folder, and all that is in it.

    Content is looked at only if the folder was not shared before.
    """
    shared = data_folder / name
    make_private_folder(shared)
    found = data_folder.stat().st_mode
    if not found & _PASSAGE_FOR_GROUP:
        data_folder.chmod(stat.S_IMODE(found) | _PASSAGE_FOR_GROUP)
    if stat.S_IMODE(shared.stat().st_mode) != SHARED_FOLDER_MODE:
        for path in shared.rglob("*"):
            with suppress(FileNotFoundError):
                path.chmod(SHARED_FOLDER_MODE if path.is_dir() else SHARED_FILE_MODE)
        # Last: if the loop is interrupted, the next start repeats it.
        shared.chmod(SHARED_FOLDER_MODE)


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
    was_open = folder.stat().st_mode & _OPEN_TO_OTHERS & ~_PASSAGE_FOR_GROUP
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


def sync_folder(folder: Path) -> None:
    """Sync a folder: the name of a file is durable only after that."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
