"""Commands in a terminal of their own, for what they do only there."""

import os
import pty
import select
import subprocess
from collections.abc import Mapping

from tests.support.command import COMMAND, PATIENCE_SECONDS, Command


def type_into_terminal(
    command: Command, arguments: tuple[str, ...], answers: Mapping[str, str]
) -> tuple[int, str]:
    """Run a command in a terminal of its own, answer its prompts, and return what was shown."""
    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=command.folder,
        env=command.environment,
        preexec_fn=lambda: os.login_tty(terminal),  # noqa: PLW1509 (it makes no thread)
    )
    os.close(terminal)
    shown = ""
    for prompt, line in answers.items():
        while not shown.endswith(prompt):
            shown += read_terminal(controller)
        os.write(controller, f"{line}\n".encode())
    while piece := read_terminal(controller):
        shown += piece
    os.close(controller)
    return process.wait(PATIENCE_SECONDS), shown


def read_terminal(controller: int) -> str:
    """The next output; nothing once the last process that had the terminal open has ended."""
    ready, _, _ = select.select([controller], [], [], PATIENCE_SECONDS)
    assert ready, "nothing was shown"
    try:
        return os.read(controller, 1024).decode()
    except OSError:
        return ""
