"""`chatapi db`, and what commands say when the database is not as it should be."""

import pytest

from tests.support.command import Command


def test_check_finds_what_upgrade_does(new_command: Command) -> None:
    before = new_command.run("db", "check", "--json")
    assert before.status == 1
    assert "revision None" in before.json["pending"][0]
    outdated = new_command.run("user", "list")
    assert outdated.status == 1
    assert outdated.stderr == "Error: The database is not up to date; run: chatapi db upgrade\n"
    new_command.answer("db", "upgrade")
    assert new_command.answer("db", "check")["pending"] == []


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("mysql://somewhere/chat", "CHATAPI_DATABASE_URL: must start with sqlite:// or"),
        ("postgresql://u:hidden@127.0.0.1:1/chat", "127.0.0.1"),
        ("sqlite:////dev/null/chat.sqlite3", "/dev/null"),
    ],
)
def test_a_missing_database_is_one_line(
    empty_command: Command, address: str, complaint: str
) -> None:
    refused = empty_command.with_settings(database_url=address).run("org", "list")
    assert (refused.status, refused.stdout) == (1, "")
    assert complaint in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert "hidden" not in refused.stderr


def test_an_unknown_postgresql_database_ends_serve_at_once(postgres_command: Command) -> None:
    address = postgres_command.settings["database_url"]
    refused = postgres_command.with_settings(
        database_url=address.replace("chatapi_cli", "chatapi_none")
    ).run("serve", "--port", "0")
    assert (refused.status, refused.stdout) == (1, "")
    assert "does not exist" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_without_organization_the_next_step_is_named(empty_command: Command) -> None:
    empty_command.answer("db", "upgrade")
    refused = empty_command.run("user", "list", "--json")
    assert refused.status == 1
    assert "chatapi org create" in refused.json["msg"]
