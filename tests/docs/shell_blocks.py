"""Commands of the pages, as people paste them into a shell."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support import curl

_ENDED_BY_KILL = "Terminated"
"""What a shell says of a server in the background that was told to end."""
_PATIENCE_SECONDS = 600
"""For dozens of commands, each of which may start a program on a busy machine."""
PROJECT = Path(__file__).resolve().parents[2]


def code_blocks(page: str, heading: str, language: str = "sh") -> list[str]:
    """The code below a heading of the first or second level, in one language."""
    text = f"\n{(PROJECT / page).read_text()}"
    section = text.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def make_program(path: Path, command: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    path.chmod(0o755)


def make_curl(folder: Path) -> None:
    """A curl of ours, where the machine has none."""
    if shutil.which("curl") is None:
        make_program(folder / "curl", [sys.executable, str(curl.__file__)])


def paste(
    script: str,
    folder: Path,
    environment: Mapping[str, str],
    *,
    remarks: Sequence[str] = (),
) -> str:
    """Run commands in a shell, with programs in `bin`; returns what they print.

    To stderr they must print these remarks and nothing else.
    """
    done = subprocess.run(
        ["/bin/sh"],
        input=script,
        text=True,
        capture_output=True,
        check=False,
        timeout=_PATIENCE_SECONDS,
        cwd=folder,
        env={**environment, "PATH": f"{folder / 'bin'}:{environment['PATH']}"},
    )
    errors = [line for line in done.stderr.splitlines() if line != _ENDED_BY_KILL]
    assert errors == [*remarks], done.stderr + done.stdout
    return done.stdout
