"""Temporary folders of throw-away servers, removed by later runs if a run was killed."""

import ctypes
import fcntl
import os
import shutil
import signal
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER_PREFIX = "chatapi-test-"
OWNER_LOCK = "owner.lock"
# A Unix socket's path may have 107 bytes; the folder's own name and the socket's need the rest.
MAX_PARENT_LENGTH = 60
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """A folder with a short path, marked as ours while this process lives."""
    parent = short_public_parent()
    remove_folders_of_dead_runs(parent)
    folder = Path(tempfile.mkdtemp(prefix=f"{FOLDER_PREFIX}{kind}-", dir=parent))
    # Locked before it gets its name, so that another run never finds it unlocked.
    unnamed = folder / "unnamed.lock"
    with unnamed.open("w") as owner:
        fcntl.flock(owner, fcntl.LOCK_EX)
        unnamed.rename(folder / OWNER_LOCK)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def remove_folders_of_dead_runs(parent: Path) -> None:
    """The kernel drops a dead owner's lock, so a lock that can be had marks a leftover."""
    for lock in parent.glob(f"{FOLDER_PREFIX}*/{OWNER_LOCK}"):
        try:
            with lock.open("r+") as handle:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
        except OSError:
            # It is in use, belongs to another user, or has just been removed.
            continue


def short_public_parent() -> Path:
    configured = Path(tempfile.gettempdir())
    is_short = len(os.fsencode(configured)) <= MAX_PARENT_LENGTH
    return configured if is_short and is_reachable_by_others(configured) else Path("/tmp")  # noqa: S108 - the last resort


def is_reachable_by_others(path: Path) -> bool:
    wanted = stat.S_IROTH | stat.S_IXOTH
    return all(place.stat().st_mode & wanted == wanted for place in (path, *path.parents))


def dying_with_parent(sent: signal.Signals) -> Callable[[], None]:
    """For Popen's preexec_fn: the kernel sends the signal when the starting thread ends.

    Start servers from the main thread, since a finished worker thread counts as a dead parent.
    """

    def ask_kernel() -> None:
        if sys.platform == "linux":
            LIBC.prctl(PR_SET_PDEATHSIG, sent.value)

    return ask_kernel
