"""`--zuliprc FILE` of `chatapi user`: the file that existing clients read."""

import asyncio
import stat

import pytest
import zulip

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.support.command import Command

RENEW = ("user", "api-key", "--email", OWNER_EMAIL)


@pytest.mark.slow
async def test_python_client_sends_with_the_file(command: Command) -> None:
    file = command.folder / "zuliprc"
    with command.serving() as serving:
        serving.read_greeting(last="╰")
        answer = command.answer(*RENEW, "--zuliprc", str(file), "--site", serving.url)
        client = await asyncio.to_thread(zulip.Client, config_file=str(file))
        message = {"type": "direct", "to": [answer["user_id"]], "content": "Hello"}
        sent = await asyncio.to_thread(client.send_message, message)
    assert sent["result"] == "success"


def test_file_is_private_and_replaces_an_earlier_one(command: Command) -> None:
    file = command.folder / "zuliprc"
    file.write_text("something else")
    file.chmod(0o644)
    answer = command.answer(*RENEW, "--zuliprc", str(file))
    assert file.read_text().splitlines() == [
        "[api]",
        f"email={OWNER_EMAIL}",
        f"key={answer['api_key']}",
        "site=http://127.0.0.1:8000",
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(command.folder.glob("*.part")) == []


def test_site_is_the_public_address_and_the_terminal_shows_no_key(command: Command) -> None:
    file = command.folder / "zuliprc"
    public = command.with_settings(public_url="https://chat.example.com")
    arguments = ("--email", "ada%lovelace@example.com", "--name", "Ada", "--zuliprc", str(file))
    created = public.run("user", "create", *arguments)
    assert created.status == 0
    written = dict(line.split("=", 1) for line in file.read_text().splitlines()[1:])
    assert written["site"] == "https://chat.example.com"
    assert written["email"] == "ada%%lovelace@example.com"
    assert written["key"] not in created.stdout


@pytest.mark.parametrize(
    "place", ["zuliprc", pytest.param("missing/zuliprc", marks=pytest.mark.slow)]
)
async def test_file_that_cannot_be_written_leaves_the_key_valid(
    command: Command, prepared: Prepared, place: str
) -> None:
    (command.folder / "zuliprc").mkdir()
    (command.folder / "missing").write_text("no folder")
    refused = command.run(*RENEW, "--zuliprc", str(command.folder / place))
    assert refused.status != 0
    assert place in refused.stderr.replace("\n", "")
    with command.serving() as serving:
        serving.read_greeting(last="╰")
        async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
            assert (await client.get("/users/me")).status_code == 200
