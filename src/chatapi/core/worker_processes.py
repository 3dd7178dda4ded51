"""Processes for heavy computations, which would keep the interpreter from the event loop."""

import contextlib
import os
import pickle
import select
import struct
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from typing import IO, ParamSpec, TypeVar, cast

from chatapi.core.errors import UnavailableError
from chatapi.core.worker_threads import WorkerThreads

P = ParamSpec("P")
T = TypeVar("T")

_MAX_SECONDS = 30.0
"""Of one computation. Callers bound the work; a busy machine gives it little time."""
_LENGTH = struct.Struct("<Q")


class WorkerProcesses:
    """Runs functions in a few processes of their own, each started when it is first needed.

    Use it for work of more than a few milliseconds that is written in Python: in a thread, it would
    take turns with the event loop, and every request would wait for these turns. Functions are
    importable by name; arguments, results and exceptions are copied (`pickle`). A process that is
    idle for some minutes ends, and the next call starts another one.
    """

    def __init__(self, name: str, count: int) -> None:
        self._threads = WorkerThreads(name, count)
        """Each waits for one process."""
        self._idle: deque[_Process] = deque()
        self._running: set[_Process] = set()
        self._is_closed = False

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        request = pickle.dumps((work, args, kwargs))
        is_done, outcome = pickle.loads(await self._threads.run(self._ask, request))  # noqa: S301 (written by our own process)
        if not is_done:
            raise cast("Exception", outcome)
        return cast("T", outcome)

    def close(self) -> None:
        """End all processes: nothing waits for them any more."""
        self._is_closed = True
        self._threads.close()
        for process in tuple(self._running):
            process.kill()
        while self._idle:
            self._idle.pop().end()

    def _ask(self, request: bytes) -> bytes:
        while self._idle:
            with contextlib.suppress(_LostProcessError):
                # The one that was used last: the others may end.
                return self._ask_process(self._idle.pop(), request)
        if self._is_closed:
            raise _LostProcessError
        return self._ask_process(_Process(), request)

    def _ask_process(self, process: "_Process", request: bytes) -> bytes:
        self._running.add(process)
        try:
            response = process.ask(request)
        except BaseException:
            process.end()
            raise
        finally:
            self._running.discard(process)
        self._idle.append(process)
        return response


class _LostProcessError(UnavailableError):
    """A process ended before it responded."""


class _Process:
    """One process, `python -m chatapi.core.worker_process`, and the pipes to it."""

    def __init__(self) -> None:
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", "chatapi.core.worker_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # None of our own environment: it contains passwords.
            env={"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def ask(self, request: bytes) -> bytes:
        stdin, stdout = cast("IO[bytes]", self._popen.stdin), cast("IO[bytes]", self._popen.stdout)
        try:
            write_block(stdin, request)
            if not _has_content(stdout, _MAX_SECONDS):
                # Not a lost process: another one would take as long.
                raise UnavailableError
            return read_block(stdout)
        except (OSError, EOFError):
            raise _LostProcessError from None

    def kill(self) -> None:
        self._popen.kill()

    def end(self) -> None:
        """Close its pipes and wait for its end; it is killed, as it may be stuck."""
        self.kill()
        with contextlib.suppress(BrokenPipeError):
            self._popen.communicate()


def _has_content(pipe: IO[bytes], seconds: float) -> bool:
    """Wait for a response; `select.select` would refuse descriptors above 1023."""
    waiting = select.poll()
    waiting.register(pipe, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


def write_block(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(_LENGTH.pack(len(content)) + content)
    pipe.flush()


def read_block(pipe: IO[bytes]) -> bytes:
    """Read what `write_block` wrote; raises `EOFError` if the other side has ended."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(header)
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError
    return content
