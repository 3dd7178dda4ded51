"""Several worker processes: a supervisor starts, watches, replaces and ends them."""

import ctypes
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from types import FrameType

import structlog
from uvicorn.config import Config
from uvicorn.server import Server

from chatapi.core.clock import stopwatch

log = structlog.get_logger()

_PR_SET_PDEATHSIG = 1
_CHECK_SECONDS = 0.2
_HEARTBEAT_SECONDS = 1.0
_MAX_STALL_SECONDS = 30.0
"""Long, so that a busy machine does not look like a stuck worker."""
_STEADY_SECONDS = 10.0
"""A worker that lives this long has started well: it is replaced without a pause."""
_FIRST_PAUSE_SECONDS = 0.25
_MAX_PAUSE_SECONDS = 5.0
_AFTER_GRACE_SECONDS = 4.0
"""For cleanup after the last request; a process that takes longer is killed."""

_METRICS_PORT = "CHATAPI_METRICS_PORT"
"""Each worker has counters of its own, and so a port of its own."""

_processes = multiprocessing.get_context("spawn")

MakeConfig = Callable[[], Config]


@dataclass(eq=False)
class _WorkerSlot:
    """A slot for one worker, and the process that currently fills it."""

    number: int
    process: SpawnProcess | None = None
    pipe: Connection | None = None
    """Any message of the worker is a heartbeat."""
    started_at: float = 0.0
    last_heartbeat_at: float = 0.0
    failures: int = 0
    next_start_at: float = 0.0


@dataclass
class Supervisor:
    """Keeps the workers running, whatever happens to them, until it gets a signal to stop."""

    make_config: MakeConfig
    """Called in each worker."""
    listener: socket.socket
    count: int
    grace_seconds: float
    _is_stopping: bool = False

    def run(self) -> None:
        """Run until SIGTERM or SIGINT; return when all workers have ended."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        slots = [_WorkerSlot(number) for number in range(self.count)]
        try:
            while not self._is_stopping:
                for slot in slots:
                    self._keep_alive(slot)
                time.sleep(_CHECK_SECONDS)
        finally:
            self._end(slots)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._is_stopping = True

    def _keep_alive(self, slot: _WorkerSlot) -> None:
        now = stopwatch()
        if slot.process is None:
            if now >= slot.next_start_at:
                self._start(slot)
            return
        _receive_heartbeats(slot)
        if slot.process.is_alive():
            if now - slot.last_heartbeat_at > _MAX_STALL_SECONDS:
                log.error("worker_stuck", pid=slot.process.pid)
                slot.process.kill()
            return
        pause = _note_end(slot)
        log.error("worker_died", pid=slot.process.pid, status=slot.process.exitcode, pause=pause)
        _clear(slot)

    def _start(self, slot: _WorkerSlot) -> None:
        slot.pipe, their_end = _processes.Pipe(duplex=True)
        slot.process = _processes.Process(
            target=_work,
            args=(
                *(slot.number, self.make_config, self.listener),
                *(their_end, os.getpid(), self.grace_seconds),
            ),
        )
        slot.process.start()
        # Our copy of their end would keep the pipe open when the worker is gone.
        their_end.close()
        slot.started_at = slot.last_heartbeat_at = stopwatch()

    def _end(self, slots: list[_WorkerSlot]) -> None:
        """Terminate all workers; kill those that do not end in time."""
        # As long as one process has it open, connections wait in a queue that no process reads.
        self.listener.close()
        running = [slot.process for slot in slots if slot.process is not None]
        for process in running:
            process.terminate()
        deadline = stopwatch() + self.grace_seconds + _AFTER_GRACE_SECONDS
        for process in running:
            process.join(max(0.0, deadline - stopwatch()))
            if process.is_alive():
                log.error("worker_killed", pid=process.pid)
                process.kill()
                process.join()


def _receive_heartbeats(slot: _WorkerSlot) -> None:
    try:
        while slot.pipe is not None and slot.pipe.poll():
            slot.pipe.recv_bytes()
            slot.last_heartbeat_at = stopwatch()
    except (EOFError, OSError):
        # The worker has ended, or is about to.
        return


def _note_end(slot: _WorkerSlot) -> float:
    """Schedule the next start, with a longer pause each time if no worker lasts."""
    now = stopwatch()
    is_steady = now - slot.started_at > _STEADY_SECONDS
    slot.failures = 0 if is_steady else slot.failures + 1
    pause = 0.0
    if slot.failures:
        pause = min(_FIRST_PAUSE_SECONDS * 2 ** (slot.failures - 1), _MAX_PAUSE_SECONDS)
    slot.next_start_at = now + pause
    return pause


def _clear(slot: _WorkerSlot) -> None:
    if slot.pipe is not None:
        slot.pipe.close()
    if slot.process is not None:
        slot.process.close()
    slot.process = slot.pipe = None


def _work(
    number: int,
    make_config: MakeConfig,
    listener: socket.socket,
    pipe: Connection,
    parent: int,
    grace_seconds: float,
) -> None:
    """Main function of a worker: serve, and end with the parent process."""
    _end_with_parent(parent)
    if os.environ.get(_METRICS_PORT):
        os.environ[_METRICS_PORT] = str(int(os.environ[_METRICS_PORT]) + number)
    threading.Thread(target=_send_heartbeats, args=(pipe, grace_seconds), daemon=True).start()
    # The server has shut down properly by then; Ctrl-C reaches all processes of a terminal.
    with suppress(KeyboardInterrupt):
        Server(make_config()).run(sockets=[listener])


def _end_with_parent(parent: int) -> None:
    """Have the kernel signal this process when the parent dies, where supported."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))
    if os.getppid() != parent:
        # The parent died before the request to the kernel.
        sys.exit(1)


def _send_heartbeats(pipe: Connection, grace_seconds: float) -> None:
    """Send heartbeats to the parent; when it is gone, shut down, gracefully if possible."""
    with suppress(OSError):
        while not pipe.poll(_HEARTBEAT_SECONDS):
            pipe.send_bytes(b".")
    # The parent never sends anything: the pipe was closed, or the parent has died.
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(grace_seconds + _AFTER_GRACE_SECONDS)
    os._exit(1)
