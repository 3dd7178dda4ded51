"""The tour of README.md, pasted into a shell."""

from pathlib import Path

import pytest

from tests.docs.shell_blocks import code_blocks, make_curl, make_program, paste
from tests.support.command import COMMAND, Command

README_ADDRESS = "http://127.0.0.1:8000"
TOUR = "## A tour with curl"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As after `python3 dev.py run`."""
    make_program(tmp_path / ".venv/bin/chatapi", COMMAND)
    make_curl(tmp_path / "bin")
    return tmp_path


@pytest.mark.slow
def test_every_step_works(folder: Path) -> None:
    command = Command(folder, {"data_dir": str(folder)})
    blocks = code_blocks("README.md", TOUR)
    with command.serving() as serving:
        serving.read_greeting(last="^curl ")
        script = "\n".join(blocks).replace(README_ADDRESS, serving.url).replace("-m 3", "-m 1")
        printed = paste(script, folder, command.environment)
    responses, _, stream = printed.partition("id: ")
    assert responses.count('"result":"success"') == 16
    assert '"result":"error"' not in responses
    assert "ignored_parameters_unsupported" not in responses
    assert stream.count('"content":"At noon?"') == 1
    assert '"type":"update_message_flags"' in stream
