"""`chatapi db backup`, `restore` and `verify`, as an operator runs them."""

import os
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path

import orjson
import pytest

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.support.command import COMMAND, PATIENCE_SECONDS, Command
from tests.support.command_child import Streams
from tests.support.ready_processes import start_command
from tests.support.waiting import until

pytestmark = pytest.mark.slow

HELLO = b"Hello, world"


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.fixture(scope="module")
async def used_folder(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A server's data: an organization, and an uploaded file in a message."""
    folder = tmp_path_factory.mktemp("used")
    shutil.copy(prepared.database, folder)
    with Command(folder, {"data_dir": str(folder)}).serving() as serving:
        serving.read_greeting(last="╰")
        async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
            uploaded = (
                await client.post("/user_uploads", files={"file": ("hello.txt", HELLO)})
            ).json()
            message = {"type": "channel", "to": "general", "topic": "files"}
            sent = await client.post("/messages", data={**message, "content": uploaded["url"]})
            assert sent.status_code == 200, sent.text
        serving.end()
    return folder


@pytest.fixture
def used(used_folder: Path, empty_command: Command) -> Command:
    """The command on a copy of the data."""
    shutil.copytree(used_folder, empty_command.folder, dirs_exist_ok=True)
    return empty_command


@pytest.fixture
def elsewhere(used: Command) -> Command:
    """The command with another folder, in which nothing is."""
    return used.with_settings(data_dir=str(used.folder / "elsewhere"))


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, elsewhere: Command) -> Command:
    """The same, once on each kind of database."""
    if request.param == "sqlite":
        return elsewhere
    postgres: Command = request.getfixturevalue("postgres_command")
    return elsewhere.with_settings(database_url=postgres.settings["database_url"])


def modes_in(folder: Path) -> set[str]:
    return {
        f"{'folder' if path.is_dir() else 'file'} {stat.S_IMODE(path.stat().st_mode):o}"
        for path in (folder, *folder.rglob("*"))
    }


def uploads_of(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in (folder / "uploads").rglob("*") if path.is_file()]


def start(command: Command, *arguments: str) -> BaseProcess:
    names = ("stdin", "stdout", "stderr")
    streams = Streams(*(command.folder / f"killed.{name}" for name in names))
    streams.stdin.touch()
    return start_command(arguments, command.environment, command.folder, streams)


def kill(process: BaseProcess) -> None:
    process.kill()
    process.join(PATIENCE_SECONDS)
    assert process.exitcode == -signal.SIGKILL


class TestWholePath:
    def test_backup_is_verified_and_restored_elsewhere(
        self, used: Command, elsewhere: Command
    ) -> None:
        saved = used.answer("db", "backup", "chat.backup")
        assert (saved["files"], saved["lost_files"], saved["deleted_files"]) == (1, [], 0)
        assert saved["rows"] == sum(saved["tables"].values()) > 10
        assert saved["bytes"] == (used.folder / "chat.backup").stat().st_size
        found = used.answer("db", "verify", "chat.backup")
        assert (found["rows"], found["tables"], found["files"]) == (
            saved["rows"],
            saved["tables"],
            1,
        )
        restored = elsewhere.answer("db", "restore", "chat.backup")
        assert (restored["rows"], restored["files"]) == (saved["rows"], 1)
        assert elsewhere.answer("db", "check")["pending"] == []
        people = [command.answer("user", "list")["users"] for command in (used, elsewhere)]
        assert people[0] == people[1]
        assert uploads_of(elsewhere.folder / "elsewhere") == [HELLO]

    def test_backup_and_restored_files_are_private(self, used: Command, elsewhere: Command) -> None:
        used.answer("db", "backup", "chat.backup")
        assert modes_in(used.folder / "chat.backup") == {"file 600"}
        elsewhere.answer("db", "restore", "chat.backup")
        assert modes_in(used.folder / "elsewhere") == {"folder 700", "file 600"}

    def test_standard_streams(self, used: Command, elsewhere: Command) -> None:
        saved = run_with_streams(used, "backup")
        assert saved.stderr.startswith(b"Saved ")
        backup = saved.stdout
        verified = run_with_streams(used, "verify", given=backup)
        assert b"The backup is complete" in verified.stdout
        restored = run_with_streams(elsewhere, "restore", given=backup)
        assert b"Restored" in restored.stdout
        assert uploads_of(elsewhere.folder / "elsewhere") == [HELLO]

    def test_json_beside_a_backup_on_standard_output_is_on_standard_error(
        self, used: Command, target: Command
    ) -> None:
        saved = run_with_streams(used, "backup", "--json")
        [line] = saved.stderr.splitlines()
        assert orjson.loads(line)["bytes"] == len(saved.stdout)
        failed = run_with_streams(target, "backup", "--json", status=1)
        [line] = failed.stderr.splitlines()
        assert (orjson.loads(line)["code"], failed.stdout) == ("DATABASE_EMPTY", b"")

    def test_postgresql(self, used: Command, postgres_command: Command, tmp_path: Path) -> None:
        """From a laptop to a fleet and back, without a client program of PostgreSQL."""
        used.answer("db", "backup", "laptop.backup")
        fleet = postgres_command.with_settings(data_dir=str(tmp_path / "fleet"))
        fleet.answer("db", "restore", "laptop.backup")
        fleet.answer("db", "backup", "fleet.backup")
        assert fleet.answer("db", "verify", "fleet.backup")["database"] == "postgresql"
        back = used.with_settings(data_dir=str(tmp_path / "back"))
        back.answer("db", "restore", "fleet.backup")
        people = [command.answer("user", "list")["users"] for command in (used, fleet, back)]
        assert people[0] == people[1] == people[2]
        assert uploads_of(tmp_path / "back") == [HELLO]


def run_with_streams(
    command: Command, *arguments: str, given: bytes = b"", status: int = 0
) -> subprocess.CompletedProcess[bytes]:
    """Run a command that reads a backup from standard input, or writes it to standard output."""
    done = subprocess.run(
        [*COMMAND, "db", *arguments, "-"],
        input=given,
        capture_output=True,
        check=False,
        cwd=command.folder,
        env=command.environment,
    )
    assert done.returncode == status, done.stderr
    return done


class TestRefusals:
    def refused(self, command: Command, *arguments: str) -> str:
        """The one line that a command says when it fails."""
        outcome = command.run("db", *arguments)
        assert (outcome.status, outcome.stdout) == (1, "")
        [line] = outcome.stderr.splitlines()
        return line

    def test_existing_file_is_replaced_only_with_force(self, command: Command) -> None:
        file = command.folder / "chat.backup"
        file.write_text("precious")
        assert "exists already" in self.refused(command, "backup", "chat.backup")
        assert file.read_text() == "precious"
        command.answer("db", "backup", "chat.backup", "--force")
        command.answer("db", "verify", "chat.backup")

    def test_database_that_is_not_empty_is_left_alone(self, command: Command) -> None:
        command.answer("db", "backup", "chat.backup")
        command.answer("org", "create", "--name", "Other")
        assert "is not empty" in self.refused(command, "restore", "chat.backup")
        assert len(command.answer("org", "list")["organizations"]) == 2

    def test_database_without_tables_is_not_backed_up(self, new_command: Command) -> None:
        assert "has no tables" in self.refused(new_command, "backup", "chat.backup")
        assert not list(new_command.folder.glob("chat.backup*"))

    @pytest.mark.parametrize("verb", ["verify", "restore"])
    def test_missing_or_other_file(self, empty_command: Command, verb: str) -> None:
        assert "Cannot read chat.backup" in self.refused(empty_command, verb, "chat.backup")
        (empty_command.folder / "chat.backup").write_text("hello")
        assert "The backup is damaged" in self.refused(empty_command, verb, "chat.backup")
        assert empty_command.run("db", "check", "--json").json["pending"] != []

    def test_folder_that_does_not_exist(self, command: Command) -> None:
        assert "Cannot write none/chat.backup" in self.refused(
            command, "backup", "none/chat.backup"
        )

    def test_full_disk_leaves_no_backup(self, command: Command) -> None:
        sentence = run_on_full_disk(command, "backup")
        assert sentence == "Error: Cannot write chat.backup: File too large\n"
        assert not list(command.folder.glob("chat.backup*"))

    def test_full_disk_leaves_an_empty_database(self, used: Command, elsewhere: Command) -> None:
        used.answer("db", "backup", "chat.backup")
        sentence = run_on_full_disk(elsewhere, "restore")
        assert sentence.startswith("Error: Cannot use the database")
        assert len(sentence.splitlines()) == 1
        elsewhere.answer("db", "restore", "chat.backup")


def run_on_full_disk(command: Command, verb: str) -> str:
    """What a command says on stderr; a limit on the size of files stands for the full disk."""
    limited = f"ulimit -f 80; exec {' '.join(COMMAND)} db {verb} chat.backup"
    done = subprocess.run(
        ["/bin/sh", "-c", limited],
        capture_output=True,
        text=True,
        check=False,
        cwd=command.folder,
        env=command.environment,
    )
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


class TestCrashes:
    async def test_killed_backup_leaves_no_file_that_looks_complete(self, used: Command) -> None:
        """The backup waits for an uploaded file, which is a pipe without a writer."""
        [file] = (path for path in (used.folder / "uploads").rglob("*") if path.is_file())
        file.unlink()
        os.mkfifo(file)
        process = start(used, "db", "backup", "chat.backup")
        partial = used.folder / "chat.backup.partial"
        await until(lambda: partial.exists() and partial.stat().st_size > 10_000)
        other = used.run("db", "backup", "chat.backup")
        assert "Another backup is being written" in other.stderr
        kill(process)
        assert not (used.folder / "chat.backup").exists()
        assert used.run("db", "verify", str(partial)).status == 1
        file.unlink()
        file.write_bytes(HELLO)
        used.answer("db", "backup", "chat.backup")
        used.answer("db", "verify", "chat.backup")
        assert not partial.exists()

    async def test_killed_restore_leaves_an_empty_database(
        self, used: Command, target: Command
    ) -> None:
        """The backup is read from a pipe, whose end never comes."""
        used.answer("db", "backup", "chat.backup")
        content = (used.folder / "chat.backup").read_bytes()
        pipe = used.folder / "pipe"
        os.mkfifo(pipe)
        process = start(target, "db", "restore", "pipe")
        with pipe.open("wb") as writing:
            writing.write(content[:-4_096])
            writing.flush()
            # Files come after all rows.
            await until(lambda: uploads_of(used.folder / "elsewhere") == [HELLO])
            kill(process)
        assert "revision None" in target.run("db", "check", "--json").json["pending"][0]
        target.answer("db", "restore", "chat.backup")
        people = [command.answer("user", "list")["users"] for command in (used, target)]
        assert people[0] == people[1]
