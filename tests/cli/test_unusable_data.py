"""Data that cannot be written, a wrong password, a full disk: one sentence says what to mend."""

import ctypes
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_failures import assert_sentence
from tests.support.command import COMMAND, PATIENCE_SECONDS, Command, Outcome
from tests.support.killable_postgres import killable_postgres

pytestmark = pytest.mark.slow

SERVE = ("serve", "--port", "0")
UPGRADE = ("db", "upgrade")
BACKUP = ("db", "backup", "-")
DOCTOR = ("doctor",)

_LIBC = ctypes.CDLL(None)
_DROP_CAPABILITY = 24
_IGNORE_MODES = (1, 2)


def heed_modes() -> None:
    """Let the modes of files count for the superuser as well; others have nothing to lose."""
    for capability in _IGNORE_MODES:
        _LIBC.prctl(_DROP_CAPABILITY, capability, 0, 0, 0)


def run(command: Command, *arguments: str, limit: str = "unlimited") -> Outcome:
    """Run a command for which modes of files count, and files have a maximum size in half KiB."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -f {limit}; exec "$@"', "sh", *COMMAND, *arguments],
        cwd=command.folder.parent,
        env=command.environment,
        capture_output=True,
        timeout=PATIENCE_SECONDS,
        check=False,
        preexec_fn=heed_modes,
    )
    return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode())


class TestReadOnlyFile:
    @pytest.fixture
    def file(self, command: Command) -> Path:
        file = command.folder / "chatapi.sqlite3"
        file.chmod(0o400)
        return file

    @pytest.mark.parametrize("arguments", [SERVE, UPGRADE])
    def test_is_named_before_anything_is_opened(
        self, command: Command, file: Path, arguments: tuple[str, ...]
    ) -> None:
        outcome = run(command, *arguments)
        assert_sentence(outcome, f"cannot write to {file}", "change its owner")
        assert [path.name for path in command.folder.iterdir()] == [file.name]

    def test_is_named_by_a_command_that_writes(self, command: Command, file: Path) -> None:
        outcome = run(command, "org", "rename", "acme", "--name", "Globex")
        assert_sentence(outcome, str(file), "must be able to write")

    def test_is_named_by_doctor(self, command: Command, file: Path) -> None:
        outcome = run(command, *DOCTOR)
        assert (outcome.status, outcome.stderr) == (1, "")
        assert f"cannot write to {file}" in outcome.stdout.replace("\n", " ")

    def test_can_be_backed_up(self, command: Command, file: Path) -> None:
        assert run(command, *BACKUP).status == 0


class TestReadOnlyFolder:
    @pytest.fixture
    def folder(self, command: Command) -> Iterator[Path]:
        command.folder.chmod(0o500)
        yield command.folder
        command.folder.chmod(0o700)

    @pytest.mark.parametrize("arguments", [SERVE, UPGRADE])
    def test_is_named(self, command: Command, folder: Path, arguments: tuple[str, ...]) -> None:
        assert_sentence(run(command, *arguments), f"cannot write to {folder}", "change its owner")

    def test_is_named_by_backup(self, command: Command, folder: Path) -> None:
        """SQLite needs further files beside the database, for reading as well."""
        outcome = run(command, *BACKUP)
        assert_sentence(outcome, str(folder))
        assert outcome.stdout == ""

    def test_is_named_by_doctor(self, command: Command, folder: Path) -> None:
        outcome = run(command, *DOCTOR)
        assert (outcome.status, outcome.stderr) == (1, "")
        assert f"cannot write to {folder}" in outcome.stdout.replace("\n", " ")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The address of a database, with a wrong password in it."""
    with killable_postgres() as postgres:
        postgres.require_passwords()
        url = postgres.server.maintenance_url.set(password="wrong-one")
        yield url.render_as_string(hide_password=False)


class TestWrongPassword:
    @pytest.mark.parametrize("arguments", [SERVE, UPGRADE, BACKUP])
    def test_is_named_and_not_printed(
        self, empty_command: Command, url: str, arguments: tuple[str, ...]
    ) -> None:
        outcome = empty_command.with_settings(database_url=url).run(*arguments)
        assert_sentence(outcome, "password authentication failed", "CHATAPI_DATABASE_URL")
        assert "wrong-one" not in outcome.stdout + outcome.stderr

    def test_is_named_by_doctor(self, empty_command: Command, url: str) -> None:
        outcome = empty_command.with_settings(database_url=url).run(*DOCTOR)
        assert (outcome.status, outcome.stderr) == (1, "")
        assert "correct the password in CHATAPI_DATABASE_URL" in outcome.stdout
        assert "wrong-one" not in outcome.stdout


@pytest.mark.parametrize("arguments", [SERVE, UPGRADE])
def test_full_disk_is_named(empty_command: Command, arguments: tuple[str, ...]) -> None:
    outcome = run(empty_command, *arguments, limit="80")
    assert_sentence(outcome, "chatapi.sqlite3", "disk is full")
