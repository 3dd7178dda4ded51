"""What a server leaves on disk, started with the usual umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import OWNER_EMAIL, Prepared
from tests.support.command import Command


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """The files of a folder, itself included, with another mode than 0700 or 0600."""
    wanted = {True: 0o700, False: 0o600}
    return [
        f"{path.name} {oct(path.stat().st_mode)}"
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) != wanted[path.is_dir()]
    ]


class TestDataFolder:
    async def test_new_folder_is_private(self, tmp_path: Path) -> None:
        data = tmp_path / "srv" / "chatapi"
        with Command(tmp_path, {"data_dir": str(data)}).serving() as serving:
            serving.read_greeting(last="^curl ")
            key = serving.greeted("API key")
            async with serving.client("owner@example.com", key) as client:
                files = {"file": ("hello.txt", b"hello")}
                assert (await client.post("/user_uploads", files=files)).status_code == 200
            names = {path.name for path in data.iterdir()}
            assert names == {
                "chatapi.sqlite3",
                "chatapi.sqlite3-wal",
                "chatapi.sqlite3-shm",
                "uploads",
            }
            assert open_to_others(tmp_path / "srv") == []

    @pytest.mark.slow
    async def test_existing_folder_is_made_private_at_the_next_start(
        self, command: Command, prepared: Prepared
    ) -> None:
        folder = command.folder
        uploads = folder / "uploads" / "1"
        uploads.mkdir(parents=True)
        (uploads / "file").write_text("secret")
        folder.chmod(0o755)
        (folder / "chatapi.sqlite3").chmod(0o644)
        with command.serving() as serving:
            serving.read_greeting(last="╰")
            async with serving.client(OWNER_EMAIL, prepared.owner_key) as client:
                assert (await client.get("/users/me")).status_code == 200
            ours = {folder, *folder.glob("chatapi.sqlite3*"), *folder.glob("uploads/**/*")}
            found = {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in ours}
        assert found == {
            folder.name: "0o700",
            "chatapi.sqlite3": "0o600",
            "chatapi.sqlite3-wal": "0o600",
            "chatapi.sqlite3-shm": "0o600",
            "1": "0o700",
            "file": "0o600",
        }
