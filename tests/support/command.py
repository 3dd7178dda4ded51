"""The `chatapi` command as scripts use it: a process, its exit status and what it printed."""

import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from tests.support.child_server import dying_with_parent
from tests.support.command_child import Streams
from tests.support.ready_processes import start_command
from tests.support.server_process import inherited_environment

PATIENCE_SECONDS = 300
"""Long enough for a machine that others keep busy; nothing is measured by it."""
TOO_MUCH_GRACE = str(2 * PATIENCE_SECONDS)
"""With it, a server that waits for requests under way does not end in time."""
COMMAND = [sys.executable, "-P", "-m", "chatapi"]
# One password takes as long as a cheap hash does.
FAST = {"CHATAPI_PASSWORD_HASH_KIB": "64", "CHATAPI_PASSWORD_HASH_ROUNDS": "1"}


@dataclass(frozen=True)
class Outcome:
    """The result of a command."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """The one JSON object that is all of stdout."""
        return json.loads(self.stdout)


@dataclass(frozen=True)
class Command:
    """The command with the settings of one test."""

    folder: Path
    settings: Mapping[str, str]
    program: tuple[str, ...] = tuple(COMMAND)
    """What `serving` starts; `run` always runs the modules of the tests."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Of the environment, besides the settings."""

    @property
    def environment(self) -> dict[str, str]:
        named = {f"CHATAPI_{name.upper()}": value for name, value in self.settings.items()}
        return {**inherited_environment(), **FAST, **self.variables, **named}

    def with_variables(self, **variables: str) -> "Command":
        """The command with variables that are no settings of its own."""
        return replace(self, variables={**self.variables, **variables})

    def with_settings(self, **settings: str) -> "Command":
        return replace(self, settings={**self.settings, **settings})

    def run(self, *arguments: str, stdin: str = "") -> Outcome:
        """Run it to its end, in a new process that has the modules already imported."""
        stdout, stderr = self.folder / "command.stdout", self.folder / "command.stderr"
        streams = Streams(self.folder / "command.stdin", stdout, stderr)
        streams.stdin.write_text(stdin)
        process = start_command(arguments, self.environment, self.folder, streams)
        process.join(PATIENCE_SECONDS)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"{arguments} did not end: {stderr.read_text()}")
        return Outcome(process.exitcode, stdout.read_text(), stderr.read_text())

    def answer(self, *arguments: str, stdin: str = "") -> Any:
        """The JSON of a command that must succeed."""
        outcome = self.run(*arguments, "--json", stdin=stdin)
        assert outcome.status == 0, outcome
        return outcome.json

    @contextmanager
    def serving(self, *arguments: str) -> Iterator["ServingCommand"]:
        """`chatapi serve` on a free port, killed at the end unless the test has ended it."""
        errors = self.folder / "serve.stderr"
        with errors.open("wb") as stderr:
            process = subprocess.Popen(
                [*self.program, "serve", "--port", "0", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                cwd=self.folder,
                env=self.environment,
                preexec_fn=dying_with_parent(signal.SIGKILL),  # noqa: PLW1509 - it only calls prctl
            )
        with process:
            try:
                yield ServingCommand(process, errors)
            finally:
                process.kill()


@dataclass
class ServingCommand:
    """A server and its output at the start."""

    process: subprocess.Popen[str]
    errors: Path
    said: str = field(default="", init=False)

    def read_greeting(self, *, last: str) -> str:
        """Read the server's output up to the matching line; the server listens by then."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line
            if re.search(last, line):
                return self.said
        raise AssertionError(f"the server ended: {self.said}{self.errors.read_text()}")

    def end(self) -> None:
        """Send SIGTERM; fails if the process is not gone in time."""
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)

    @property
    def url(self) -> str:
        found = re.search(r"http://[\d.]+:\d+", self.said)
        assert found is not None, self.said
        return found[0]

    @property
    def curl_line(self) -> list[str]:
        (line,) = [line for line in self.said.splitlines() if line.startswith("curl ")]
        return shlex.split(line)

    def greeted(self, name: str) -> str:
        """The value beside a name in the greeting."""
        found = re.search(rf"{name} +(\S+)", self.said)
        assert found is not None, self.said
        return found[1]

    def client(self, email: str, api_key: str) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=f"{self.url}/api/v1", auth=(email, api_key), timeout=PATIENCE_SECONDS
        )
