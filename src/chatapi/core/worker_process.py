"""A process of `WorkerProcesses`: runs the functions it is asked for, one after the other.

It ends with the server, whose end closes its standard input, or after some idle minutes.
"""

import os
import pickle
import select
import signal
import sys
from typing import IO

from chatapi.core.worker_processes import read_block, write_block

_MAX_IDLE_SECONDS = 300.0
_NICENESS = 5
"""Requests that need only the event loop go first."""


def main() -> None:
    # Ctrl-C in a terminal reaches this process, too; the server decides when it ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICENESS)
    requests, responses = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not be taken for a response.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while (request := _next(requests)) is not None:
        write_block(responses, _outcome(request))


def _next(requests: IO[bytes]) -> bytes | None:
    # No request is buffered: the server sends the next one after the response.
    if not select.select([requests], [], [], _MAX_IDLE_SECONDS)[0]:
        return None
    try:
        return read_block(requests)
    except EOFError:
        return None


def _outcome(request: bytes) -> bytes:
    """What a function returned or raised."""
    try:
        work, args, kwargs = pickle.loads(request)  # noqa: S301 (written by the server)
        return pickle.dumps((True, work(*args, **kwargs)))
    except Exception as error:  # noqa: BLE001 (raised again in the server)
        return pickle.dumps((False, error))


if __name__ == "__main__":
    main()
