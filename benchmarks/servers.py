"""Starts the service and the yardstick as processes of their own, on loopback."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from benchmarks.http_client import Account

_START_SECONDS = 60
_STOP_SECONDS = 10


@dataclass(frozen=True)
class RunningServer:
    """A server process and where it listens."""

    port: int
    pid: int
    seconds_to_first_answer: float

    def resident_kib(self) -> int:
        """How much memory the process holds, as the kernel counts it."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1])

    def processor_seconds(self) -> float:
        """How long the process has been computing, in all its threads."""
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def chat_server(
    environment: dict[str, str], python: str = sys.executable
) -> Iterator[RunningServer]:
    """The service as people run it, without rate limits."""
    command = [python, "-m", "chatapi", "serve", "--host", "127.0.0.1", "--port"]
    with _process(command, environment, path="/health") as server:
        yield server


@contextmanager
def bare_server(environment: dict[str, str]) -> Iterator[RunningServer]:
    """The yardstick, served by the same uvicorn with the same options."""
    command = [sys.executable, "-m", "uvicorn", "--factory", "benchmarks.bare:create_app"]
    command += ["--no-access-log", "--log-level", "warning", "--port"]
    with _process(command, environment, path="/bare") as server:
        yield server


def run_command(environment: dict[str, str], *arguments: str, stdin: str = "") -> dict[str, object]:
    """A `chatapi` command's JSON answer."""
    answer = subprocess.run(
        [sys.executable, "-m", "chatapi", *arguments, "--json"],
        env={**os.environ, **environment},
        check=True,
        input=stdin.encode(),
        stdout=subprocess.PIPE,
    )
    content: dict[str, object] = orjson.loads(answer.stdout)
    return content


def create_account(
    environment: dict[str, str], email: str, role: str, organization: str = ""
) -> Account:
    answer = run_command(
        environment,
        *("user", "create", "--email", email, "--name", email.partition("@")[0]),
        *("--role", role, "--password-stdin"),
        *(("--org", organization) if organization else ()),
        stdin="a long enough password\n",
    )
    return Account(str(answer["email"]), str(answer["api_key"]))


@contextmanager
def _process(command: list[str], environment: dict[str, str], path: str) -> Iterator[RunningServer]:
    port = _free_port()
    started = time.perf_counter()
    process = subprocess.Popen(
        [*command, str(port)], env={**os.environ, **environment}, stdout=subprocess.DEVNULL
    )
    try:
        _wait_for_answer(process, port, path)
        yield RunningServer(port, process.pid, time.perf_counter() - started)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(_STOP_SECONDS)


def _wait_for_answer(process: subprocess.Popen[bytes], port: int, path: str) -> None:
    deadline = time.perf_counter() + _START_SECONDS
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
    while time.perf_counter() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with code {process.returncode}")
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.sendall(request)
                if connection.recv(12).endswith(b"200"):
                    return
        except OSError:
            time.sleep(0.01)
    raise TimeoutError("the server did not answer in time")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
