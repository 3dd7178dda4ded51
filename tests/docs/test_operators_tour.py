"""The path of an operator in docs/operations.md, pasted into a shell."""

from pathlib import Path

import pytest

from chatapi.core.settings import SQLITE_FILE
from tests.docs.shell_blocks import code_blocks, make_curl, make_program, paste
from tests.support.apps import make_settings
from tests.support.command import COMMAND, Command
from tests.support.server_process import free_port
from tests.upgrade.previous_release import lay_down, recorded


@pytest.mark.slow
async def test_every_step_works(tmp_path: Path) -> None:
    make_program(tmp_path / "bin" / "chatapi", COMMAND)
    make_curl(tmp_path / "bin")
    srv = tmp_path / "srv"
    previous = srv / "previous"
    previous.mkdir(parents=True)
    await lay_down(make_settings(f"sqlite+aiosqlite:///{previous / SQLITE_FILE}", previous))
    blocks = code_blocks("docs/operations.md", "## The path of an operator")
    script = "\n".join(blocks).replace("/srv", str(srv)).replace("8000", str(free_port()))
    printed = paste(script, tmp_path, Command(tmp_path, {}).environment)
    assert printed.count('"result":"success"') == 4, printed
    assert "chatapi_database_up 1.0" in printed
    assert '"path": "/api/v1/messages"' in printed
    assert printed.count("The first message") == 1
    for sentence in ("Saved ", "The backup is complete", "Restored ", "An upgrade is needed."):
        assert sentence in printed
    assert printed.index("The database differs") < printed.index("The database is up to date.")
    assert "Nothing is pending." in printed
    assert all(email in printed for email in recorded()["people"])
    assert {path.name for path in srv.iterdir()} == {"chatapi", "restored", "previous"}
    assert (tmp_path / "before-upgrade.backup").exists()
