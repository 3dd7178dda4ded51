"""A real server in its own process, which tests may kill and restart."""

import os
import random
import signal
import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support.child_processes import signal_with_children
from tests.support.command_child import Streams
from tests.support.ready_processes import start_command
from tests.support.waiting import until

START_TIMEOUT_SECONDS = 300
STOP_TIMEOUT_SECONDS = 120
PROJECT = Path(__file__).resolve().parents[2]
_MOST_WORKERS = 16
PATIENT = {"CHATAPI_DATABASE_SILENCE_SECONDS": "60"}
"""A machine that runs many tests at once makes PostgreSQL slow, not unresponsive."""


class ServerProcess:
    """`chatapi serve`; restarted, it has the same address.

    Waiting for it leaves the event loop running: an application of the test may have just begun to
    write to the same SQLite file, and would hold its lock.
    """

    def __init__(
        self, folder: Path, environment: Mapping[str, str], options: Sequence[str] = ()
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._environment = {**inherited_environment(), **PATIENT, **environment}
        self._arguments = ("serve", "--port", str(self.port), *options)
        self._streams = Streams(
            Path(os.devnull), folder / "server.stdout", folder / "server.stderr"
        )
        self._process: BaseProcess | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def log(self) -> str:
        """The output since the last start."""
        return self._streams.stdout.read_text() + self._streams.stderr.read_text()

    async def start(self) -> None:
        """Start it and wait until it can be reached."""
        process = self.launch()
        await until(lambda: self.listens() or not process.is_alive(), START_TIMEOUT_SECONDS)
        assert process.is_alive(), self.log

    def launch(self) -> BaseProcess:
        """Start it without waiting."""
        process = self._process = start_command(
            self._arguments, self._environment, self._folder, self._streams
        )
        return process

    def kill(self) -> None:
        """End it at once, as a crash or a power cut would, and its workers.

        Workers notice the end of their parent, and would write to the database once more, which
        may be that of the next test by then.
        """
        if self._process is not None:
            assert self._process.pid is not None
            # It may have ended by itself.
            with suppress(FileNotFoundError, ProcessLookupError):
                signal_with_children(self._process.pid, signal.SIGKILL)
            self._process.join(STOP_TIMEOUT_SECONDS)
            self._process.close()
            self._process = None

    async def restart_after_crash(self) -> None:
        self.kill()
        await self.start()

    async def terminate(self) -> None:
        """Ask it to end, and wait until it has done so."""
        process = self._process
        assert process is not None
        process.terminate()
        await until(lambda: not process.is_alive(), STOP_TIMEOUT_SECONDS)

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


@asynccontextmanager
async def server_process(
    folder: Path, options: Sequence[str] = (), /, **environment: str
) -> AsyncIterator[ServerProcess]:
    """A running server with options and CHATAPI_ settings, which are written without the prefix."""
    server = ServerProcess(
        folder,
        {f"CHATAPI_{name.upper()}": value for name, value in environment.items()},
        options,
    )
    try:
        await server.start()
        yield server
    finally:
        server.kill()


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
