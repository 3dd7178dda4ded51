"""Processes that are the `chatapi` command and need not import everything anew."""

import multiprocessing
from collections.abc import Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support.command_child import Streams, be_the_command

_processes = multiprocessing.get_context("forkserver")
_COMMANDS = ("organizations", "users", "database", "audit", "demo", "doctor", "openapi", "serve")
_processes.set_forkserver_preload(
    ["chatapi.main", *(f"chatapi.cli.{command}" for command in _COMMANDS)]
)


def start_command(
    arguments: Sequence[str],
    environment: dict[str, str],
    folder: Path,
    streams: Streams,
) -> BaseProcess:
    """The command with arguments, in a new process that begins where the imports end."""
    process = _processes.Process(
        target=be_the_command, args=(arguments, environment, folder, streams)
    )
    process.start()
    return process
