"""Passwords at the command line: asked for unseen, or by standard input; never as an argument."""

import sqlite3
from pathlib import Path

import pytest

from chatapi.auth.passwords import Passwords
from chatapi.core.settings import Settings
from tests.cli.conftest import OWNER_EMAIL
from tests.support.command import Command
from tests.support.pseudo_terminal import type_into_terminal

NEW = "a better one"
EMILIA = ("--email", "emilia@example.com", "--name", "Emilia")
PROMPTS = {"Password: ": NEW, "Repeat for confirmation: ": NEW}
SET_PASSWORD = ("user", "password", "--email", OWNER_EMAIL)


def stored_hash(command: Command, email: str) -> str | None:
    with sqlite3.connect(command.folder / "chatapi.sqlite3") as database:
        query = "SELECT password_hash FROM account WHERE delivery_email = ?"
        (found,) = database.execute(query, [email]).fetchone()
    database.close()
    return None if found is None else str(found)


async def is_right(command: Command, email: str, password: str) -> bool:
    return await Passwords(Settings()).verify(password, stored_hash(command, email))


class TestStandardInput:
    async def test_sets_the_password_of_a_new_user(self, command: Command) -> None:
        command.answer("user", "create", *EMILIA, "--password-stdin", stdin=f"{NEW}\nnot this\n")
        assert await is_right(command, "emilia@example.com", NEW)

    async def test_changes_the_password(self, command: Command) -> None:
        command.answer(*SET_PASSWORD, "--password-stdin", stdin=NEW)
        assert await is_right(command, OWNER_EMAIL, NEW)

    def test_without_a_line_is_refused(self, command: Command) -> None:
        refused = command.run(*SET_PASSWORD, "--password-stdin", "--json")
        assert refused.status == 1
        assert refused.json["msg"] == "Standard input has no password"

    def test_no_prompt_without_a_terminal(self, command: Command) -> None:
        for arguments in (SET_PASSWORD, ("user", "create", *EMILIA, "--ask-password")):
            refused = command.run(*arguments, stdin=NEW)
            assert refused.status == 1
            assert "--password-stdin" in refused.stderr

    def test_only_one_way_at_a_time(self, command: Command) -> None:
        refused = command.run(
            "user", "create", *EMILIA, "--password-stdin", "--ask-password", stdin=NEW
        )
        assert refused.status == 1
        assert "one way" in refused.stderr


class TestTerminal:
    @pytest.mark.parametrize(
        "arguments", [SET_PASSWORD, ("user", "create", *EMILIA, "--ask-password")]
    )
    async def test_password_is_asked_for_twice_and_not_shown(
        self, command: Command, arguments: tuple[str, ...]
    ) -> None:
        status, shown = type_into_terminal(command, arguments, PROMPTS)
        assert status == 0, shown
        assert NEW not in shown
        assert await is_right(command, arguments[3], NEW)


class TestArgument:
    async def test_works_and_warns_on_stderr(self, command: Command) -> None:
        outcome = command.run(*SET_PASSWORD, "--password", NEW, "--json")
        assert outcome.status == 0
        assert outcome.json["result"] == "success"
        assert "--password-stdin" in outcome.stderr
        assert NEW not in outcome.stderr
        assert await is_right(command, OWNER_EMAIL, NEW)

    @pytest.mark.parametrize("verb", ["create", "password"])
    def test_is_hidden_in_help(self, empty_command: Command, verb: str) -> None:
        shown = empty_command.run("user", verb, "--help").stdout
        assert "--password-stdin" in shown
        assert "--password " not in shown.replace("--password-stdin", "")


def test_user_without_a_password_has_none(command: Command) -> None:
    command.answer("user", "create", *EMILIA)
    assert stored_hash(command, "emilia@example.com") is None


def test_bots_get_no_password(command: Command) -> None:
    email = "helper@example.com"
    command.answer("user", "create", "--email", email, "--name", "Helper")
    with sqlite3.connect(command.folder / "chatapi.sqlite3") as database:
        turned = "UPDATE account SET bot_type = 1, bot_owner_id = ? WHERE delivery_email = ?"
        database.execute(turned, [1, email])
    database.close()
    refused = command.run(
        "user", "password", "--email", email, "--password-stdin", "--json", stdin=NEW
    )
    assert refused.json["msg"] == "Bots have no password"
    assert stored_hash(command, email) is None


class TestCompose:
    def test_database_has_no_default_password(self) -> None:
        text = (Path(__file__).parents[2] / "compose.yaml").read_text()
        assert text.count("${CHATAPI_DATABASE_PASSWORD:?") == 2
        assert ":-" not in text
