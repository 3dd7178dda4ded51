"""Backups that were damaged or made up: they are recognized, and nothing of them is restored."""

import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson
import pytest
from sqlalchemy import inspect

from chatapi.backup import BackupReader, verify_backup
from chatapi.backup.archive import ArchiveWriter
from chatapi.backup.errors import DamagedBackupError, NewerBackupError
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from tests.backup.conftest import MakeEmpty
from tests.backup.copies import back_up, files_of, restore
from tests.factories import Person
from tests.features.uploads.files import send_to_person, upload
from tests.support.client import ApiClient

Parts = list[tuple[str, bytes]]


@pytest.fixture
def backend() -> str:
    """The form of backups does not depend on the database."""
    return "sqlite"


@pytest.fixture
async def backup(client: ApiClient, owner: Person, settings: Settings) -> bytes:
    """A backup with a few rows and two uploaded files."""
    links = [await upload(client, owner, content=os.urandom(1_500)) for _ in range(2)]
    await send_to_person(client, owner, owner, " ".join(links))
    _, made = await back_up(settings)
    return made


def faults_of(backup: bytes) -> list[str]:
    reader = BackupReader(io.BytesIO(backup))
    reader.read_all()
    return reader.faults


def parts_of(backup: bytes) -> Parts:
    with tarfile.open(fileobj=io.BytesIO(backup)) as archive:
        return [(member.name, content_of(archive, member)) for member in archive]


def content_of(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None
    return file.read()


def put_together(parts: Parts) -> bytes:
    """An archive whose checksums of members are right, whatever is in them."""
    stream = io.BytesIO()
    archive = ArchiveWriter(stream, 0)
    for name, content in parts:
        digest = hashlib.sha256(content).hexdigest()
        archive.add(name, io.BytesIO(content), len(content), digest)
    archive.end()
    return stream.getvalue()


async def tables_of(settings: Settings) -> list[str]:
    database = Database(settings)
    async with database.engine.connect() as connection:
        names: list[str] = await connection.run_sync(lambda inner: inspect(inner).get_table_names())
    await database.close()
    return names


async def assert_refused(make_empty: MakeEmpty, backup: bytes) -> str:
    """Restoring fails and leaves a database without tables; returns the message."""
    target = await make_empty("sqlite")
    with pytest.raises(DamagedBackupError) as refusal:
        await restore(target, backup)
    assert await tables_of(target) == []
    return refusal.value.msg


def test_intact_backup_has_no_faults_and_is_an_ordinary_archive(backup: bytes) -> None:
    assert faults_of(backup) == []
    header, manifest = verify_backup(io.BytesIO(backup))
    assert header.database == "sqlite"
    assert manifest.rows > 10
    names = [name for name, _ in parts_of(backup)]
    assert (names[0], names[-1]) == ("header.json", "manifest.json")


class TestDamagedOnDisk:
    def test_every_truncation_is_found(self, backup: bytes) -> None:
        for length in range(0, len(backup), 1_777):
            assert faults_of(backup[:length]), length
        assert faults_of(backup[:-1])

    @pytest.mark.slow
    def test_every_flipped_bit_is_found(self, backup: bytes) -> None:
        for position in positions_that_matter(backup):
            damaged = bytearray(backup)
            damaged[position] ^= 0x10
            assert faults_of(bytes(damaged)), position

    def test_damaged_part_is_named(self, backup: bytes) -> None:
        with tarfile.open(fileobj=io.BytesIO(backup)) as archive:
            member = next(each for each in archive if each.name.startswith("files/"))
        damaged = bytearray(backup)
        damaged[member.offset_data + 700] ^= 1
        assert faults_of(bytes(damaged))[0] == f"{member.name} has another content than was written"

    @pytest.mark.slow
    async def test_nothing_of_it_is_restored(self, backup: bytes, make_empty: MakeEmpty) -> None:
        in_files = backup.index(b"files/") + 1_000
        flipped = bytearray(backup)
        flipped[in_files] ^= 1
        assert "another content" in await assert_refused(make_empty, bytes(flipped))
        assert "the file ends at byte" in await assert_refused(make_empty, backup[:in_files])
        # All rows and files are there, and only the manifest is not.
        without_manifest = put_together(parts_of(backup)[:-1])
        assert "never written" in await assert_refused(make_empty, without_manifest)

    @pytest.mark.parametrize("content", [b"", b"hello", bytes(2_048), os.urandom(2_048)])
    def test_other_files_are_no_backups(self, content: bytes) -> None:
        assert faults_of(content)

    def test_other_archives_are_no_backups(self) -> None:
        assert "it is not a backup of chatapi" in faults_of(put_together([("notes.txt", b"hello")]))


def positions_that_matter(backup: bytes) -> Iterator[int]:
    """Some of the bytes that are neither padding nor the unused end of a header."""
    with tarfile.open(fileobj=io.BytesIO(backup)) as archive:
        for member in archive:
            # The header with the checksum, its content, the header itself, and the content.
            yield from (member.offset, member.offset + 530, member.offset_data - 500)
            yield from range(member.offset_data, member.offset_data + member.size, 211)


class TestMadeUp:
    """Archives whose checksums are right."""

    async def test_missing_upload_is_named(self, backup: bytes, make_empty: MakeEmpty) -> None:
        parts = parts_of(backup)
        [gone, _] = [name for name, _ in parts if name.startswith("files/")]
        damaged = put_together([part for part in parts if part[0] != gone])
        sentence = f"the uploaded file {gone.removeprefix('files/')} is missing"
        assert sentence in faults_of(damaged)
        assert sentence in await assert_refused(make_empty, damaged)

    def test_missing_table_is_named(self, backup: bytes) -> None:
        parts = [part for part in parts_of(backup) if not part[0].startswith("tables/message/")]
        assert faults_of(put_together(parts)) == ["the table message has 0 rows instead of 1"]

    def test_changed_row_is_found(self, backup: bytes) -> None:
        def change(lines: bytes) -> bytes:
            return lines.replace(b"example.com", b"example.org")

        damaged = with_lines(backup, "tables/account/", change)
        assert faults_of(damaged) == ["the table account has other rows than were written"]

    async def test_row_that_refers_to_nothing_is_refused(
        self, backup: bytes, make_empty: MakeEmpty
    ) -> None:
        def change(lines: bytes) -> bytes:
            columns, row = map(orjson.loads, lines.splitlines())
            row[columns.index("sender_id")] = 999
            return orjson.dumps(columns) + b"\n" + orjson.dumps(row) + b"\n"

        damaged = with_lines(backup, "tables/message/", change, repair_manifest=True)
        assert faults_of(damaged) == []
        assert "a row of message refers to" in await assert_refused(make_empty, damaged)
        with pytest.raises(DamagedBackupError) as refusal:
            verify_backup(io.BytesIO(damaged))
        assert refusal.value.faults == [
            "a row of message refers by sender_id to a missing row of account"
        ]

    def test_rows_of_other_columns_are_named(self, backup: bytes) -> None:
        def change(lines: bytes) -> bytes:
            return lines.replace(b'"sender_id"', b'"sender"')

        damaged = with_lines(backup, "tables/message/", change, repair_manifest=True)
        with pytest.raises(DamagedBackupError, match="message has other columns"):
            verify_backup(io.BytesIO(damaged))

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "change",
        [
            lambda lines: lines.replace(b'"sender_id"', b'"sender"'),
            lambda lines: lines.replace(b'["id"', b'["id","id"'),
            lambda _: b"7\n",
            lambda _: b'{"id": 7}\n',
        ],
    )
    async def test_rows_of_another_form_are_refused(
        self, backup: bytes, make_empty: MakeEmpty, change: Callable[[bytes], bytes]
    ) -> None:
        damaged = with_lines(backup, "tables/message/", change, repair_manifest=True)
        await assert_refused(make_empty, damaged)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "name", ["files/../../escaped", "files//etc/escaped", "files/1/ab/../x", "files/1/ab/a b"]
    )
    async def test_name_that_leads_elsewhere_is_refused(
        self, backup: bytes, make_empty: MakeEmpty, tmp_path: Path, name: str
    ) -> None:
        *parts, manifest = parts_of(backup)
        damaged = put_together([*parts, (name, b"escaped"), manifest])
        assert "not the name of an uploaded file" in await assert_refused(make_empty, damaged)
        assert files_named_escaped(tmp_path) == []

    @pytest.mark.parametrize(
        "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.GNUTYPE_SPARSE, b"L"]
    )
    def test_other_kinds_of_entries_are_refused(self, backup: bytes, kind: bytes) -> None:
        link = tarfile.TarInfo("files/1/ab/link")
        link.type, link.linkname = kind, "/etc/passwd"
        first = put_together(parts_of(backup)[:1])[:-1_024]
        faults = faults_of(first + link.tobuf(tarfile.GNU_FORMAT) + bytes(1_024))
        assert faults[0].startswith("unexpected entry")

    @pytest.mark.slow
    def test_piece_that_would_fill_the_memory_is_refused(self, backup: bytes) -> None:
        bomb = gzip.compress(bytes(300 * 1024 * 1024), compresslevel=1)
        header, *others = parts_of(backup)
        faults = faults_of(
            put_together([header, ("tables/message/000001.jsonl.gz", bomb), *others])
        )
        assert "too large" in faults[0]

    async def test_backup_of_a_later_version_is_refused(
        self, backup: bytes, make_empty: MakeEmpty
    ) -> None:
        (name, header), *others = parts_of(backup)
        later = orjson.dumps({**orjson.loads(header), "revision": "9999", "chatapi_version": "9.9"})
        target = await make_empty("sqlite")
        made_later = put_together([(name, later), *others])
        with pytest.raises(NewerBackupError):
            verify_backup(io.BytesIO(made_later))
        with pytest.raises(NewerBackupError) as refusal:
            await restore(target, made_later)
        assert "made by chatapi 9.9" in refusal.value.msg
        assert await tables_of(target) == []
        assert files_of(target) == {}


def files_named_escaped(folder: Path) -> list[Path]:
    return [*folder.parent.rglob("escaped"), *Path("/etc").glob("escaped")]


def with_lines(
    backup: bytes, prefix: str, change: Callable[[bytes], bytes], *, repair_manifest: bool = False
) -> bytes:
    """The backup with other lines in a table of one piece."""
    parts = dict(parts_of(backup))
    [name] = [name for name in parts if name.startswith(prefix)]
    lines = change(gzip.decompress(parts[name]))
    parts[name] = gzip.compress(lines)
    if repair_manifest:
        manifest = orjson.loads(parts["manifest.json"])
        table = manifest["tables"][prefix.split("/")[1]]
        table["sha256"] = hashlib.sha256(lines).hexdigest()
        parts["manifest.json"] = orjson.dumps(manifest)
    return put_together(list(parts.items()))
