"""The existing terminal client, as README.md says: it shows messages, and sends some."""

import asyncio
import os
import venv
from pathlib import Path

import pytest

from tests.clients.programs import BIN, run
from tests.docs.test_tour import blocks_of_readme
from tests.factories import MakeChannel, Person
from tests.support.client import ApiClient
from tests.support.responses import assert_success
from tests.support.terminal_program import TerminalProgram, running_in_terminal
from tests.support.waiting import until_true

LOCK = Path(__file__).with_name("requirements.lock")
CTRL_D = "\x04"
TO_LUNCH = {"type": "channel", "to": "lunch", "topic": "today"}
NEWEST = {"anchor": "newest", "num_before": 1, "num_after": 0, "apply_markdown": False}


@pytest.fixture(scope="module")
async def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment of its own: pip refuses the client next to a newer Python."""
    environment = tmp_path_factory.mktemp("terminal-client")
    venv.create(environment, symlinks=True)
    python = str(environment / "bin/python")
    install = ("pip", "install", "--python", python, "--require-hashes", "-r", str(LOCK), "-q")
    await run(environment, str(BIN / "uv"), *install)
    return environment / "bin"


def command_of_readme(programs: Path) -> list[str]:
    *_, block = blocks_of_readme("Chat now, in the terminal")
    *_, line = block.strip().splitlines()
    program, *arguments = line.split()
    # The interpreter is named because a long path may not stand behind "#!".
    return [str(programs / "python"), str(programs / Path(program).name), *arguments]


async def in_thread(program: TerminalProgram, text: str) -> None:
    """Wait for a text while the server, which runs in this thread, goes on."""
    await asyncio.to_thread(program.wait_for, text)


async def test_shows_messages_and_sends_replies(
    url: str,
    client: ApiClient,
    owner: Person,
    member: Person,
    make_channel: MakeChannel,
    programs: Path,
    tmp_path: Path,
) -> None:
    await make_channel("lunch", subscribers=[owner, member])
    assert_success(await client.post("/messages", member, **TO_LUNCH, content="Soup or salad?"))
    lines = ["[api]", f"email={owner.email}", f"key={owner.api_key}", f"site={url}", ""]
    zuliprc = tmp_path / "zuliprc"
    zuliprc.write_text("\n".join(lines))
    zuliprc.chmod(0o600)
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    with running_in_terminal(command_of_readme(programs), tmp_path, environment) as program:
        await in_thread(program, "Soup or salad?")
        assert_success(await client.post("/messages", member, **TO_LUNCH, content="Or bread?"))
        await in_thread(program, "Or bread?")
        program.type("r")
        await in_thread(program, "today")
        program.type(f"Both, please{CTRL_D}")

        async def is_sent() -> bool:
            [newest] = (await client.get("/messages", owner, **NEWEST))["messages"]
            return (newest["subject"], newest["content"]) == ("today", "Both, please")

        await until_true(is_sent)
