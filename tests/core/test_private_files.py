"""What the service keeps on disk is for its own account alone, whatever the umask is."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatapi.core.private_files import (
    make_private_file,
    make_private_folder,
    restrict_data_folder,
    restrict_to_owner,
    share_with_group,
)

NAMES = ("chatapi.sqlite3", "uploads")


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A data folder as earlier versions created it, with default modes."""
    folder = tmp_path / "data"
    (folder / "uploads" / "1" / "ab").mkdir(parents=True)
    (folder / "uploads" / "1" / "ab" / "file").write_text("secret")
    (folder / "chatapi.sqlite3").write_text("secret")
    assert mode_of(folder) == 0o755
    return folder


class TestMaking:
    def test_new_folders_are_closed_up_to_the_one_that_exists(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o755)
        make_private_folder(tmp_path / "a" / "b")
        assert [mode_of(path) for path in (tmp_path / "a", tmp_path / "a" / "b")] == [0o700] * 2
        assert mode_of(tmp_path) == 0o755

    def test_new_file_is_closed(self, tmp_path: Path) -> None:
        make_private_file(tmp_path / "a" / "file")
        assert mode_of(tmp_path / "a" / "file") == 0o600

    def test_existing_file_is_closed_and_keeps_its_content(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_text("content")
        assert mode_of(path) == 0o644
        make_private_file(path)
        assert (mode_of(path), path.read_text()) == (0o600, "content")


class TestClosing:
    def test_open_data_folder_is_closed_with_all_that_is_in_it(self, open_folder: Path) -> None:
        restrict_data_folder(open_folder, NAMES)
        modes = {path.name: mode_of(path) for path in (open_folder, *open_folder.rglob("*"))}
        assert modes == {
            "data": 0o700,
            "uploads": 0o700,
            "1": 0o700,
            "ab": 0o700,
            "file": 0o600,
            "chatapi.sqlite3": 0o600,
        }

    def test_empty_folder_is_closed(self, tmp_path: Path) -> None:
        folder = tmp_path / "data"
        folder.mkdir()
        restrict_data_folder(folder, NAMES)
        assert mode_of(folder) == 0o700

    def test_folder_of_something_else_stays_as_it_is(self, tmp_path: Path) -> None:
        folder = tmp_path / "project"
        folder.mkdir()
        (folder / "README").write_text("for everybody")
        restrict_data_folder(folder, NAMES)
        assert (mode_of(folder), mode_of(folder / "README")) == (0o755, 0o644)

    def test_what_a_link_leads_to_stays_as_it_is(self, open_folder: Path, tmp_path: Path) -> None:
        target = tmp_path / "target"
        target.write_text("elsewhere")
        (open_folder / "uploads" / "link").symlink_to(target)
        restrict_data_folder(open_folder, NAMES)
        assert mode_of(target) == 0o644

    def test_missing_file_is_passed_over(self, tmp_path: Path) -> None:
        restrict_to_owner([tmp_path / "gone"])
        restrict_data_folder(tmp_path / "gone", NAMES)
        assert not list(tmp_path.iterdir())


class TestSharing:
    """Uploads that a proxy sends are open to the service's group, whatever they were before."""

    def test_group_can_reach_and_read_the_shared_folder_only(self, open_folder: Path) -> None:
        restrict_data_folder(open_folder, NAMES)
        share_with_group(open_folder, "uploads")
        modes = {path.name: mode_of(path) for path in (open_folder, *open_folder.rglob("*"))}
        assert modes == {
            "data": 0o710,
            "uploads": 0o750,
            "1": 0o750,
            "ab": 0o750,
            "file": 0o640,
            "chatapi.sqlite3": 0o600,
        }

    def test_is_kept_by_commands_that_do_not_know_of_it(self, open_folder: Path) -> None:
        restrict_data_folder(open_folder, NAMES)
        share_with_group(open_folder, "uploads")
        restrict_data_folder(open_folder, NAMES)
        assert (mode_of(open_folder), mode_of(open_folder / "uploads")) == (0o710, 0o750)

    def test_missing_folders_are_created(self, tmp_path: Path) -> None:
        share_with_group(tmp_path / "data", "uploads")
        assert mode_of(tmp_path / "data") == 0o710
        assert mode_of(tmp_path / "data" / "uploads") == 0o750
