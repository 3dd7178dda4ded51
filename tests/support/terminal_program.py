"""A program with a full-screen interface, in a terminal of its own."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE_SECONDS = 120
_ROWS, _COLUMNS = 40, 140
_CONTROL = re.compile(rb"\x1b(\[[0-9;?]*[a-zA-Z]|[()][A-Z0-9]|[=>])")


class TerminalProgram:
    """Presses keys, and reads what the program draws."""

    def __init__(self, controller: int) -> None:
        self._controller = controller
        self._drawn = b""

    def press(self, keys: str) -> None:
        os.write(self._controller, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until a text was drawn since the last call."""
        ends_at = time.monotonic() + PATIENCE_SECONDS
        while text not in self.drawn:
            left = ends_at - time.monotonic()
            ready, _, _ = select.select([self._controller], [], [], max(left, 0))
            assert ready, f"{text!r} was not drawn: {self.drawn}"
            self._drawn += os.read(self._controller, 65_536)
        self._drawn = b""

    @property
    def drawn(self) -> str:
        return _CONTROL.sub(b"", self._drawn).decode(errors="replace")


@contextmanager
def running_in_terminal(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> Iterator[TerminalProgram]:
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, "TERM": "xterm-256color"},
        preexec_fn=lambda: os.login_tty(terminal),  # noqa: PLW1509 (it makes no thread)
    )
    os.close(terminal)
    with process:
        try:
            yield TerminalProgram(controller)
        finally:
            process.kill()
            os.close(controller)
