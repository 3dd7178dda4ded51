"""The file a backup is written to: it has its name only when it is complete."""

import fcntl
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from msgspec import Struct

from chatapi.backup.errors import BackupExistsError, BackupUnderWayError
from chatapi.core.private_files import FILE_MODE, sync_folder

_SUFFIX = ".partial"


class BackupOutput(Struct, frozen=True):
    """Where to write a backup."""

    path: Path | None
    """None: standard output."""
    may_replace: bool = False


@contextmanager
def backup_output(output: BackupOutput) -> Generator[IO[bytes], None, None]:
    """Open the output; a file gets its name at the end of the block, unless the block fails.

    Until then it is `FILE.partial`. What a killed process has left under this name is overwritten.
    """
    if output.path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if output.path.exists() and not output.may_replace:
        raise BackupExistsError(str(output.path))
    partial = output.path.with_name(f"{output.path.name}{_SUFFIX}")
    with _open_partial(partial) as stream:
        try:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            partial.replace(output.path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    sync_folder(output.path.parent)


def _open_partial(path: Path) -> IO[bytes]:
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, FILE_MODE)
    stream = os.fdopen(descriptor, "r+b")
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.close()
        raise BackupUnderWayError(str(path)) from None
    os.fchmod(descriptor, FILE_MODE)
    os.ftruncate(descriptor, 0)
    return stream
