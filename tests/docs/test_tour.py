"""The tour of README.md, pasted into a shell."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import curl
from tests.support.command import COMMAND, PATIENCE_SECONDS, Command, ServingCommand

PROJECT = Path(__file__).resolve().parents[2]
README_ADDRESS = "http://127.0.0.1:8000"


def blocks_of_readme(heading: str, language: str = "sh") -> list[str]:
    """The code below a heading, in one language."""
    readme = (PROJECT / "README.md").read_text()
    section = readme.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def blocks_of_the_tour() -> list[str]:
    return blocks_of_readme("A tour with curl")


def make_program(path: Path, command: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As after `python3 dev.py run`; with a curl of ours where the machine has none."""
    make_program(tmp_path / ".venv/bin/chatapi", COMMAND)
    if shutil.which("curl") is None:
        make_program(tmp_path / "bin/curl", [sys.executable, str(curl.__file__)])
    return tmp_path


def paste(
    blocks: list[str], command: Command, serving: ServingCommand, *, remarks: str = ""
) -> str:
    """Run blocks of code in a shell; it must print nothing but these remarks to stderr."""
    script = "\n".join(blocks).replace(README_ADDRESS, serving.url).replace("-m 3", "-m 1")
    environment = command.environment
    environment["PATH"] = f"{command.folder / 'bin'}:{environment['PATH']}"
    done = subprocess.run(
        ["/bin/sh"],
        input=script,
        text=True,
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        cwd=command.folder,
        env=environment,
    )
    assert done.stderr == remarks
    return done.stdout


def test_every_step_works(folder: Path) -> None:
    command = Command(folder, {"data_dir": str(folder)})
    with command.serving() as serving:
        serving.read_greeting(last="^curl ")
        printed = paste(blocks_of_the_tour(), command, serving)
    responses, _, stream = printed.partition("id: ")
    assert responses.count('"result":"success"') == 16
    assert '"result":"error"' not in responses
    assert "ignored_parameters_unsupported" not in responses
    assert stream.count('"content":"At noon?"') == 1
    assert '"type":"update_message_flags"' in stream
