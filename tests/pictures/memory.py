"""The memory that drawing files takes: `python -m tests.pictures.memory RECIPE < paths`.

For each path on standard input, a line with the most bytes that the drawing process had. The
processes are forked from this one, which has the modules already: starting an interpreter for each
file would take longer than drawing it. The modules are counted as if each process had loaded them.
"""

import os
import re
import signal
import sys
from importlib import import_module
from pathlib import Path

from chatapi.pictures import worker

_MAX_SECONDS = 120


def most_memory(file: Path) -> int:
    """0 for a process that was ended by a limit: it cannot report, and the limit is lower."""
    reader, writer = os.pipe()
    loaded = _bytes_of("VmHWM")
    process = os.fork()
    if process == 0:
        _draw(file, loaded, writer)
    os.close(writer)
    with os.fdopen(reader) as report:
        measured = report.read()
    os.waitpid(process, 0)
    return int(measured or 0)


def _draw(file: Path, loaded: int, report: int) -> None:
    """Be the drawing process, then report."""
    signal.alarm(_MAX_SECONDS)
    os.dup2(os.open(file, os.O_RDONLY), 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    # A fork begins without the pages of libraries, until it uses them.
    begun = _bytes_of("VmRSS")
    try:
        worker.main()
    finally:
        os.write(report, str(loaded - begun + _bytes_of("VmHWM")).encode())
        os._exit(0)


def _bytes_of(name: str) -> int:
    """A size of this process, as the kernel reports it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


if __name__ == "__main__":
    # The worker itself imports it last, under its limits.
    import_module("chatapi.pictures.drawing")
    for line in sys.stdin:
        sys.stdout.write(f"{most_memory(Path(line.strip()))}\n")
