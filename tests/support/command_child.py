"""The inside of a process that is the `chatapi` command."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from chatapi.cli import main


def be_the_command(
    arguments: Sequence[str],
    environment: dict[str, str],
    folder: Path,
    stdout: Path,
    stderr: Path,
) -> None:
    """What `python -m chatapi` does, in a process that already has the modules."""
    threading.Thread(target=_end_with_the_tests, daemon=True).start()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for stream, path in ((1, stdout), (2, stderr)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    sys.argv = ["chatapi", *arguments]
    main()


def _end_with_the_tests() -> None:
    tests = multiprocessing.parent_process()
    if tests is not None:
        tests.join()
        os.kill(os.getpid(), signal.SIGKILL)
