"""The existing terminal client, as README.md says: it shows messages as they come, and replies."""

import venv
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.clients.programs import BIN, run
from tests.docs.shell_blocks import code_blocks, paste
from tests.docs.test_tour import folder
from tests.support.command import PATIENCE_SECONDS, Command
from tests.support.terminal_program import running_in_terminal

pytestmark = pytest.mark.slow

__all__ = ["folder"]

LOCK = Path(__file__).with_name("requirements.lock")
CHAT_NOW = "## Chat now, in the terminal"
TO_GENERAL = {"type": "channel", "to": "general", "topic": "lunch"}
RIGHT_ARROW, CTRL_D = "\x1b[C", "\x04"


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
    *_, block = code_blocks("README.md", CHAT_NOW)
    *_, line = block.strip().splitlines()
    program, *arguments = line.split()
    # The interpreter is named because a long path may not stand behind "#!".
    return [str(programs / "python"), str(programs / Path(program).name), *arguments]


def test_shows_messages_and_sends_replies(programs: Path, folder: Path, tmp_path: Path) -> None:
    command = Command(folder, {"data_dir": str(folder)})
    with command.serving() as serving:
        serving.read_greeting(last="^curl ")
        ada = command.answer("user", "create", "--email", "ada@example.com", "--name", "Ada")
        write_zuliprc, _ = code_blocks("README.md", CHAT_NOW)
        script = write_zuliprc.replace("\n", f" --site {serving.url} --json\n")
        paste(script, folder, command.environment)
        environment = {**command.environment, "HOME": str(tmp_path)}
        with (
            httpx.Client(
                base_url=f"{serving.url}/api/v1",
                auth=(ada["email"], ada["api_key"]),
                timeout=PATIENCE_SECONDS,
            ) as http,
            running_in_terminal(command_of_readme(programs), folder, environment) as program,
        ):
            program.wait_for("Welcome! This is")
            http.post(
                "/messages", data={**TO_GENERAL, "content": "Soup or salad?"}
            ).raise_for_status()
            program.wait_for("Soup or salad?")
            queue = http.post("/register", data={"event_types": '["message"]'}).json()
            program.press(f"{RIGHT_ARROW}rSoup, please{CTRL_D}")
            message = next_message(http, queue)
    sent = message["content"], message["display_recipient"], message["sender_full_name"]
    assert sent == ("Soup, please", "general", "Owner")


def next_message(http: httpx.Client, registered: dict[str, Any]) -> dict[str, Any]:
    """Wait for the message that is sent next; heartbeats end polls without one."""
    place = {key: registered[key] for key in ("queue_id", "last_event_id")}
    while True:
        polled = http.get("/events", params=place, timeout=PATIENCE_SECONDS).raise_for_status()
        [event] = polled.json()["events"]
        if event["type"] == "message":
            message: dict[str, Any] = event["message"]
            return message
        place["last_event_id"] = event["id"]
