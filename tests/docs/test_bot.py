"""The bots of README.md and of the guide on the docs page, run as they are printed there."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.shell_blocks import code_blocks, paste
from tests.docs.test_tour import README_ADDRESS, TOUR, folder
from tests.support.command import PATIENCE_SECONDS, Command
from tests.support.waiting import until_true

pytestmark = pytest.mark.slow

__all__ = ["folder"]

NEWEST: dict[str, str | int] = {
    "anchor": "newest",
    "num_before": 5,
    "num_after": 0,
    "apply_markdown": "false",
}
CALL = {"type": "channel", "to": "general", "topic": "echo", "content": "Hello @**Echo Bot**"}

ABOUT_KEYS = "Earlier keys stay valid; `chatapi user revoke-api-key` ends them."
BOT = "## A bot in ten lines"
GUIDE = "src/chatapi/http/pages/guides/bot.md"


@contextmanager
def running_bot(program: str, folder: Path) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", program], cwd=folder)
    with process:
        try:
            yield
        finally:
            process.kill()


async def test_of_the_guide_replies_to_those_who_write_echo(folder: Path) -> None:
    command = Command(folder, {"data_dir": str(folder)})
    [program] = code_blocks(GUIDE, "# A bot in ten lines", "python")
    with command.serving() as serving:
        serving.read_greeting(last="^curl ")
        credentials = serving.greeted("Owner's email"), serving.greeted("API key")
        async with serving.client(*credentials) as owner:
            new = {"full_name": "Echo Bot", "short_name": "echo"}
            bot = (await owner.post("/bots", json=new)).raise_for_status().json()
            user = (await owner.get(f"/users/{bot['user_id']}")).raise_for_status().json()["user"]
            for placeholder, value in (
                ("BOT_EMAIL", user["email"]),
                ("BOT_API_KEY", bot["api_key"]),
                (README_ADDRESS, serving.url),
            ):
                assert placeholder in program
                program = program.replace(placeholder, value)
            written = {"type": "direct", "to": [bot["user_id"]], "content": "echo hello"}
            with running_bot(program, folder):

                async def has_replied() -> bool:
                    # Again and again: the bot may not have registered its queue yet.
                    (await owner.post("/messages", json=written)).raise_for_status()
                    found = (await owner.get("/messages", params=NEWEST)).json()["messages"]
                    return ("Echo Bot", "echo!") in {
                        (message["sender_full_name"], message["content"]) for message in found
                    }

                await until_true(has_replied, PATIENCE_SECONDS)


async def test_answers_users_who_mention_it(folder: Path) -> None:
    command = Command(folder, {"data_dir": str(folder)})
    [program] = code_blocks("README.md", BOT, "python")
    assert len([line for line in program.splitlines() if line]) <= 10
    with command.serving() as serving:
        serving.read_greeting(last="^curl ")
        credentials = serving.greeted("Owner's email"), serving.greeted("API key")
        blocks = [code_blocks("README.md", TOUR)[0], *code_blocks("README.md", BOT)]
        script = "\n".join(blocks).replace(README_ADDRESS, serving.url)
        paste(script, folder, command.environment, remarks=[ABOUT_KEYS])
        async with serving.client(*credentials) as owner:
            with running_bot(program, folder):

                async def is_listening() -> bool:
                    users = await owner.get("/streams/1/members")
                    return len(users.json()["subscribers"]) > 1

                await until_true(is_listening, PATIENCE_SECONDS)

                async def has_answered() -> bool:
                    # Again and again: the bot may not have registered its queue yet.
                    assert (await owner.post("/messages", data=CALL)).status_code == 200
                    found = (await owner.get("/messages", params=NEWEST)).json()["messages"]
                    return any(
                        (message["sender_full_name"], message["subject"], message["content"])
                        == ("Echo Bot", "echo", "You called?")
                        for message in found
                    )

                await until_true(has_answered, PATIENCE_SECONDS)
