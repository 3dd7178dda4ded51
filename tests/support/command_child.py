"""The inside of a process that is the `chatapi` command."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from chatapi.cli import main


class Streams(NamedTuple):
    """The files that are the standard streams of the command."""

    stdin: Path
    stdout: Path
    stderr: Path


def be_the_command(
    arguments: Sequence[str], environment: dict[str, str], folder: Path, streams: Streams
) -> None:
    """What `python -m chatapi` does, in a process that already has the modules."""
    threading.Thread(target=_end_with_the_tests, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    os.dup2(os.open(streams.stdin, os.O_RDONLY), 0)
    sys.stdin = os.fdopen(0)
    for stream, path in ((1, streams.stdout), (2, streams.stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    sys.argv = ["chatapi", *arguments]
    main()


def _end_with_the_tests() -> None:
    tests = multiprocessing.parent_process()
    if tests is not None:
        tests.join()
        os.kill(os.getpid(), signal.SIGKILL)
