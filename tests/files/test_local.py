"""Files in a folder: stored whole or not at all."""

import io
import os
import stat
from pathlib import Path

import pytest
from typing_extensions import override

from chatapi.files.files import Files
from chatapi.files.local import LocalStore
from chatapi.files.store import ByteRange, MissingFileError

KEY = "1/ab/abcdef"


async def content_of(store: LocalStore, key: str) -> bytes:
    async with store.read(key) as chunks:
        return b"".join([chunk async for chunk in chunks])


async def no_deployment() -> str:
    return ""


def names_below(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


class Failing(io.BytesIO):
    """Content that fails midway."""

    @override
    def read(self, size: int | None = -1, /) -> bytes:
        raise OSError("gone")


class TestLocalStore:
    @pytest.mark.parametrize("size", [0, 1, 1_000_000])
    async def test_returns_the_stored_content(self, tmp_path: Path, size: int) -> None:
        store = LocalStore(tmp_path)
        content = io.BytesIO(os.urandom(size))
        content.seek(0, os.SEEK_END)
        await store.put(KEY, content, "")
        assert await content_of(store, KEY) == content.getvalue()
        assert names_below(tmp_path) == [KEY]

    @pytest.mark.parametrize(
        ("first", "last"), [(0, 0), (10, 600_009), (0, 999_999), (999_999, 999_999)]
    )
    async def test_reads_a_part(self, tmp_path: Path, first: int, last: int) -> None:
        store = LocalStore(tmp_path)
        content = os.urandom(1_000_000)
        await store.put(KEY, io.BytesIO(content), "")
        async with store.read(KEY, ByteRange(first, last)) as chunks:
            assert b"".join([chunk async for chunk in chunks]) == content[first : last + 1]

    @pytest.mark.parametrize(
        ("is_shared", "folder_mode", "file_mode"), [(False, 0o700, 0o600), (True, 0o750, 0o640)]
    )
    async def test_files_are_open_to_the_group_only_if_they_are_shared(
        self, tmp_path: Path, is_shared: bool, folder_mode: int, file_mode: int
    ) -> None:
        store = LocalStore(tmp_path, is_shared=is_shared)
        before = os.umask(0o077)
        try:
            await store.put(KEY, io.BytesIO(b"content"), "")
        finally:
            os.umask(before)
        folder, shelf, file = (tmp_path / part for part in ("1", "1/ab", KEY))
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder, shelf, file)]
        assert modes == [folder_mode, folder_mode, file_mode]

    async def test_interrupted_write_leaves_no_file(self, tmp_path: Path) -> None:
        store = LocalStore(tmp_path)
        with pytest.raises(OSError, match="gone"):
            await store.put(KEY, Failing(), "")
        assert names_below(tmp_path) == []

    async def test_deletes(self, tmp_path: Path) -> None:
        store = LocalStore(tmp_path)
        await store.put(KEY, io.BytesIO(b"x"), "")
        await store.delete(KEY)
        await store.delete(KEY)
        with pytest.raises(MissingFileError):
            await content_of(store, KEY)


class TestDiscard:
    async def test_is_done_before_shutdown(self, tmp_path: Path) -> None:
        store = LocalStore(tmp_path)
        await store.put(KEY, io.BytesIO(b"x"), "")
        files = Files(store, no_deployment)
        files.discard([KEY, "1/cd/unknown"])
        await files.close()
        assert names_below(tmp_path) == []

    async def test_goes_on_after_a_failure(self, tmp_path: Path) -> None:
        store = LocalStore(tmp_path)
        await store.put(KEY, io.BytesIO(b"x"), "")
        (tmp_path / "folder").mkdir()
        files = Files(store, no_deployment)
        files.discard(["folder", KEY])
        await files.close()
        assert names_below(tmp_path) == []
