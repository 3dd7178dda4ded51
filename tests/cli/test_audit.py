"""`chatapi audit`: the audit log for operators, and the entries of commands."""

from typing import Any

import pytest

from tests.cli.conftest import OWNER, OWNER_EMAIL, OWNER_PASSWORD
from tests.support.command import Command


def entries(command: Command, *options: str) -> list[dict[str, Any]]:
    """The oldest first."""
    listed: list[dict[str, Any]] = command.answer("audit", *options)["entries"]
    return listed[::-1]


@pytest.mark.slow
def test_commands_are_entered_as_the_command_line(new_command: Command) -> None:
    new_command.answer("db", "upgrade")
    new_command.answer("org", "create", "--name", "Acme")
    owner = new_command.answer("user", "create", *OWNER, stdin=OWNER_PASSWORD)["user_id"]
    of_owner = ("--email", OWNER_EMAIL)
    guest = ("--email", "guest@example.com")
    new_command.answer("user", "create", *guest, "--name", "G", "--role", "guest")
    new_command.answer("user", "role", *guest, "--role", "member")
    new_command.answer("user", "deactivate", *guest)
    new_command.answer("user", "reactivate", *guest)
    new_command.answer("user", "api-key", *of_owner)
    new_command.answer("user", "revoke-api-key", *of_owner, "--all")
    new_command.answer("user", "password", *of_owner, "--password-stdin", stdin="other secret\n")
    found = entries(new_command)
    assert [entry["kind"] for entry in found] == [
        "realm_created",
        "channel_created",
        "user_created",
        "user_created",
        "user_role_changed",
        "api_keys_revoked",
        "user_deactivated",
        "user_reactivated",
        "api_key_added",
        "api_keys_revoked",
        "user_password_changed",
    ]
    assert {entry["source"] for entry in found} == {"command_line"}
    assert {entry["acting_user_id"] for entry in found} == {None}
    assert found[2]["user_id"] == owner


def test_table_names_users_and_values(command: Command) -> None:
    command.answer("user", "create", "--email", "a@b.example", "--name", "A")
    command.answer("user", "role", "--email", "a@b.example", "--role", "admin")
    printed = command.run("audit", "--kind", "user_role_changed").stdout
    assert "Concerns" in printed
    for text in ("command line", "user_role_", "a@b.example", "400 -> 200"):
        assert text in " ".join(printed.split())


def test_filters_by_user_kind_and_id(command: Command) -> None:
    user = command.answer("user", "create", "--email", "a@b.example", "--name", "A")["user_id"]
    before = entries(command)[-1]["id"]
    command.answer("user", "role", "--email", "a@b.example", "--role", "guest")
    assert {entry["user_id"] for entry in entries(command, "--user", "a@b.example")} == {user}
    assert entries(command, "--by", "a@b.example") == []
    [created] = entries(command, "--user", OWNER_EMAIL, "--kind", "user_created")
    assert created["new_value"]["role"] == 100
    [newest] = entries(command, "--after-id", str(before))
    assert newest["kind"] == "user_role_changed"
    assert entries(command, "--source", "api") == []
    assert entries(command, "--since", "2100-01-01") == []
    assert entries(command, "--until", "2000-01-01") == []


def test_says_how_to_see_older_entries(command: Command) -> None:
    command.answer("user", "create", "--email", "a@b.example", "--name", "A")
    printed = command.run("audit", "--limit", "1")
    newest = entries(command)[-1]["id"]
    assert printed.stderr == f"There are older entries: --before-id {newest}\n"
    assert command.answer("audit", "--limit", "1")["has_more"]


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        (("--by", "nobody@example.com"), 1, "nobody@example.com"),
        (("--org", "elsewhere"), 1, "acme"),
        (("--kind", "praised"), 2, "praised"),
        (("--since", "yesterday"), 2, "yesterday"),
        (("--limit", "0"), 2, "--limit"),
        (("--before-id", "-1"), 2, "--before-id"),
    ],
)
def test_bad_options_get_a_sentence(
    command: Command, options: tuple[str, ...], status: int, says: str
) -> None:
    refused = command.run("audit", *options)
    assert (refused.status, refused.stdout) == (status, "")
    assert says in refused.stderr
    assert "Traceback" not in refused.stderr
