"""A real server in its own process, which restarts quickly after being killed."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support.command_child import Streams
from tests.support.ready_processes import start_command
from tests.support.server_process import (
    PATIENT,
    START_TIMEOUT_SECONDS,
    STOP_TIMEOUT_SECONDS,
    free_port,
    inherited_environment,
)
from tests.support.waiting import until


class QuickServer:
    """`chatapi serve`; restarted, it is at the same address."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._folder = folder
        self._environment = {**inherited_environment(), **PATIENT, **environment}
        self._process: BaseProcess | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start it and wait until it can be reached."""
        stdout, stderr = self._folder / "server.stdout", self._folder / "server.stderr"
        streams = Streams(Path(os.devnull), stdout, stderr)
        arguments = ("serve", "--port", str(self.port))
        process = start_command(arguments, self._environment, self._folder, streams)
        self._process = process
        await until(lambda: self._listens() or not process.is_alive(), START_TIMEOUT_SECONDS)
        assert process.is_alive(), stderr.read_text()

    def kill(self) -> None:
        """End it at once, as a crash or a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.join(STOP_TIMEOUT_SECONDS)
            self._process.close()
            self._process = None

    async def restart_after_crash(self) -> None:
        self.kill()
        await self.start()

    def _listens(self) -> bool:
        with socket.socket() as connection:
            return connection.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def quick_server(folder: Path, **settings: str) -> Iterator[QuickServer]:
    """A server that is not started yet, with CHATAPI_ settings written without the prefix."""
    server = QuickServer(
        folder, {f"CHATAPI_{name.upper()}": value for name, value in settings.items()}
    )
    try:
        yield server
    finally:
        server.kill()
