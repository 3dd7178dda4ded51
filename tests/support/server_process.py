"""A real server in its own process, which tests may kill and restart."""

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path

from tests.support.child_server import dying_with_parent

START_TIMEOUT_SECONDS = 300
STOP_TIMEOUT_SECONDS = 120
PROJECT = Path(__file__).resolve().parents[2]
_MOST_WORKERS = 16
PATIENT = {"CHATAPI_DATABASE_SILENCE_SECONDS": "60"}
"""A machine that runs many tests at once makes PostgreSQL slow, not unresponsive."""


class ServerProcess:
    """Started by `chatapi serve`; restarted, it has the same address."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], options: Sequence[str] = ()
    ) -> None:
        self._options = options
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        return (self._folder / "server.log").read_text()

    def start(self) -> None:
        """Start it and wait until it can be reached."""
        self._wait_until_it_listens(self.launch())

    def launch(self) -> subprocess.Popen[bytes]:
        """Start it without waiting, for callers that have to keep an event loop running."""
        options = ["--port", str(self.port), *self._options]
        command = [sys.executable, "-P", "-m", "chatapi", "serve", *options]
        with (self._folder / "server.log").open("ab") as log:
            process = self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env={**inherited_environment(), **PATIENT, **self._environment},
                preexec_fn=dying_with_parent(signal.SIGKILL),  # noqa: PLW1509 - it only calls prctl
            )
        return process

    def kill(self) -> None:
        """End it at once, as a crash or a power cut would."""
        process = self._running()
        process.kill()
        process.wait(STOP_TIMEOUT_SECONDS)

    def terminate(self) -> int:
        """Ask it to end, and return its exit status."""
        process = self._running()
        process.terminate()
        return process.wait(STOP_TIMEOUT_SECONDS)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError("The server was not started.")
        return self._process

    def _wait_until_it_listens(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not self.listens():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The server did not start: {self.log}")
            time.sleep(0.02)

    def listens(self) -> bool:
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", self.port)) == 0


def inherited_environment() -> dict[str, str]:
    """Only those variables of the tests' environment that locate programs and modules."""
    kept = ("PATH", "HOME", "TMPDIR", "LANG")
    return {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "PYTHONPATH": str(PROJECT / "src"),
    }


@contextmanager
def server_process(
    folder: Path, options: Sequence[str] = (), /, **environment: str
) -> Iterator[ServerProcess]:
    """A running server with options and CHATAPI_ settings, which are written without the prefix."""
    server = ServerProcess(
        folder,
        {f"CHATAPI_{name.upper()}": value for name, value in environment.items()},
        options,
    )
    try:
        server.start()
        yield server
    finally:
        server.stop()


def free_port() -> int:
    """A port where nothing listens, and that no other test of this run is given."""
    for port in _PORTS_OF_THIS_WORKER:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("The ports of this worker have no end.")


def _ports_of_this_worker() -> Iterator[int]:
    """Ports of its own for each worker of pytest-xdist, over and over.

    They lie below those that systems choose for outgoing connections. The first one is random:
    another run of the tests may be going on.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    own = range(10_000 + worker % _MOST_WORKERS, 16_000, _MOST_WORKERS)
    first = random.randrange(len(own))
    return cycle([*own[first:], *own[:first]])


_PORTS_OF_THIS_WORKER = _ports_of_this_worker()
