"""Every command, with rubbish around it: one sentence, never a traceback."""

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest
import typer

from chatapi.cli.commands import build_app
from chatapi.core.settings import SQLITE_FILE
from tests.cli.conftest import OWNER_EMAIL
from tests.support.command import COMMAND, PATIENCE_SECONDS, Command, Outcome
from tests.support.servers import Servers
from tests.support.waiting import POLL_INTERVAL_SECONDS

ARGUMENTS = {
    "serve": ("--port", "0"),
    "org create": ("--name", "Globex", "--yes"),
    "org list": (),
    "org rename": ("acme", "--name", "Acme Limited"),
    "org delete": ("acme", "--yes"),
    "user create": ("--email", "ada@example.com", "--name", "Ada"),
    "user list": (),
    "user deactivate": ("--email", OWNER_EMAIL),
    "user reactivate": ("--email", OWNER_EMAIL),
    "user role": ("--email", OWNER_EMAIL, "--role", "member"),
    "user api-key": ("--email", OWNER_EMAIL),
    "user api-keys": ("--email", OWNER_EMAIL),
    "user revoke-api-key": ("--email", OWNER_EMAIL, "--all"),
    "user password": ("--email", OWNER_EMAIL, "--password-stdin"),
    "db upgrade": (),
    "db check": (),
    "db backup": ("chat.backup",),
    "db restore": ("chat.backup",),
    "db verify": ("chat.backup",),
    "audit": (),
    "demo": ("--people", "1"),
    "doctor": (),
    "settings": (),
    "openapi": (),
}
"""How each command is called; a new command must be added."""
WITHOUT_DATABASE = {"settings", "openapi", "doctor", "db verify"}
"""`doctor` reports such faults in its own way: tests/cli/test_doctor.py."""
WITH_DATABASE = sorted(ARGUMENTS.keys() - WITHOUT_DATABASE)
KINDS = ("serve", "db upgrade", "org list")
"""One of each kind: they open the database in different ways."""


def every_command(app: typer.Typer, path: str = "") -> Iterator[str]:
    for command in app.registered_commands:
        assert command.callback is not None
        yield f"{path}{command.name or command.callback.__name__}"
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from every_command(group.typer_instance, f"{path}{group.name} ")


def run(command: Command, name: str) -> Outcome:
    return command.run(*name.split(), *ARGUMENTS[name], stdin="a password\n")


def assert_sentence(outcome: Outcome, *expected: str, status: int = 1) -> None:
    assert outcome.status == status, outcome
    assert "Traceback" not in outcome.stdout + outcome.stderr
    *_, last = outcome.stderr.splitlines()
    assert last.startswith("Error: ")
    for part in expected:
        assert part in last


def test_all_commands_are_tried() -> None:
    assert set(every_command(build_app())) == set(ARGUMENTS)


class TestDatabase:
    @pytest.mark.parametrize("name", KINDS)
    @pytest.mark.parametrize(
        ("url", "reason"),
        [
            ("mysql://db/chat", "CHATAPI_DATABASE_URL: must start with"),
            ("postgresql://127.0.0.1:port/chat", "Cannot use the database"),
            ("sqlite:////proc/nowhere/chat.sqlite3", "Cannot use the database"),
        ],
    )
    def test_that_cannot_be_opened_is_named(
        self, empty_command: Command, name: str, url: str, reason: str
    ) -> None:
        outcome = run(empty_command.with_settings(database_url=url), name)
        assert_sentence(outcome, reason, status=2 if "CHATAPI" in reason else 1)

    @pytest.mark.parametrize("name", ["db upgrade", "org list"])
    def test_that_does_not_listen_is_named(self, empty_command: Command, name: str) -> None:
        """`serve` waits for it half a minute, as containers start in any order."""
        closed = empty_command.with_settings(database_url="postgresql://127.0.0.1:1/chat")
        assert_sentence(run(closed, name), "127.0.0.1:1/chat")

    @pytest.mark.parametrize("name", KINDS)
    def test_that_does_not_exist_is_named(
        self, empty_command: Command, servers: Servers, name: str
    ) -> None:
        missing = servers.postgres.url_for("chatapi_missing")
        outcome = run(empty_command.with_settings(database_url=missing), name)
        assert_sentence(outcome, 'database "chatapi_missing" does not exist')

    @pytest.mark.parametrize("name", WITH_DATABASE)
    def test_that_is_no_database_is_named(self, empty_command: Command, name: str) -> None:
        (empty_command.folder / "chatapi.sqlite3").write_bytes(b"not a database" * 100)
        assert_sentence(run(empty_command, name), "not a database")

    @pytest.mark.parametrize("name", KINDS)
    def test_in_a_file_where_the_folder_should_be_is_named(
        self, empty_command: Command, name: str
    ) -> None:
        (empty_command.folder / "data").write_text("")
        blocked = empty_command.with_settings(data_dir=str(empty_command.folder / "data"))
        assert_sentence(run(blocked, name), "data")

    @pytest.mark.parametrize("name", ["serve", "db upgrade"])
    def test_of_a_newer_version_is_not_touched(self, command: Command, name: str) -> None:
        with sqlite3.connect(command.folder / "chatapi.sqlite3") as database:
            database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.close()
        assert_sentence(run(command, name), "revision 9999", "newer version")


@pytest.mark.parametrize("name", [*KINDS, "settings", "demo"])
def test_setting_that_is_no_number_is_named(command: Command, name: str) -> None:
    outcome = run(command.with_settings(queues_per_user="many"), name)
    assert_sentence(outcome, "CHATAPI_QUEUES_PER_USER", status=2)


@pytest.mark.parametrize("name", ["openapi", "settings", "org list", "db check"])
def test_unknown_variable_is_reported_with_the_nearest_name(command: Command, name: str) -> None:
    mistyped = command.with_settings(
        databse_url="sqlite://", database_password="x", test_seed="1", zzz="1"
    )
    lines = run(mistyped, name).stderr.splitlines()
    assert [line for line in lines if "is not a setting" in line] == [
        "CHATAPI_DATABSE_URL is not a setting, and is ignored; did you mean CHATAPI_DATABASE_URL?",
        "CHATAPI_ZZZ is not a setting, and is ignored; `chatapi settings` lists all",
    ]


@pytest.mark.parametrize("name", ["user list", "user create", "user password"])
def test_unknown_organization_is_named(command: Command, name: str) -> None:
    outcome = command.run(*name.split(), *ARGUMENTS[name], "--org", "nowhere", stdin="a password\n")
    assert_sentence(outcome, "Name one of the organizations: acme")


def run_with_stdout(command: Command, name: str, stdout: IO[str]) -> Outcome:
    """Run a command whose output cannot be written."""
    done = subprocess.run(
        [*COMMAND, *name.split()],
        cwd=command.folder,
        env=command.environment,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return Outcome(done.returncode, "", done.stderr)


def test_full_disk_is_named(command: Command) -> None:
    with Path("/dev/full").open("w") as full:
        outcome = run_with_stdout(command, "org list", full)
    assert outcome.status == 1
    assert outcome.stderr == "Error: The command failed: No space left on device\n"


@pytest.mark.parametrize(
    "name", ["settings", pytest.param("openapi", marks=pytest.mark.slow), "org list"]
)
def test_closed_pipe_ends_the_command_quietly(command: Command, name: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        assert run_with_stdout(command, name, pipe).stderr == ""


def heed_interrupts() -> None:
    """Tests that run in the background of a shell ignore SIGINT, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def count_users(command: Command) -> int:
    with closing(sqlite3.connect(command.folder / SQLITE_FILE)) as connection:
        [count] = connection.execute("SELECT count(*) FROM account").fetchone()
        return int(count)


def wait_for_more_users(command: Command, process: subprocess.Popen[str]) -> None:
    """Wait until the process has written users; it shows its progress only at its end."""
    before = count_users(command)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while count_users(command) == before:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(POLL_INTERVAL_SECONDS)


@pytest.mark.slow
def test_interrupt_ends_the_command_quietly(command: Command) -> None:
    people = 5_000
    process = subprocess.Popen(
        [*COMMAND, "demo", "--people", str(people)],
        cwd=command.folder,
        env=command.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - it only sets a signal's default
    )
    with process:
        try:
            wait_for_more_users(command, process)
            process.send_signal(signal.SIGINT)
            _, shown = process.communicate(timeout=PATIENCE_SECONDS)
        finally:
            process.kill()
    assert process.returncode == 128 + signal.SIGINT
    assert "Traceback" not in shown
    assert count_users(command) < people
