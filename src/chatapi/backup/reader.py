"""Reads a backup once, from front to back, and checks everything in it."""

import hashlib
import io
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, Any, TypeAlias, TypeVar

from msgspec import Struct
from pydantic import BaseModel, ValidationError

from chatapi.backup.archive import BrokenArchiveError, Member, read_archive
from chatapi.backup.lines import BadLinesError, parse_lines, piece_prefix, unpack_lines
from chatapi.backup.manifest import (
    FILES,
    FORMAT_VERSION,
    HEADER_NAME,
    MANIFEST_NAME,
    MISSING,
    REFERENCES,
    TABLES,
    FilesContent,
    Header,
    Manifest,
)

_KEY = re.compile(r"[0-9]{1,18}/[A-Za-z0-9_-]{2}/[A-Za-z0-9_-]{1,80}")
"""A storage key as the service generates them: it cannot lead out of the store."""
_MAX_SMALL_BYTES = 64 * 1024 * 1024
"""Of members that are read into memory."""
_MAX_FAULTS = 100

Part = TypeVar("Part", bound=BaseModel)


class Rows(Struct, frozen=True):
    """Some rows of a table."""

    table: str
    columns: list[str]
    rows: list[list[Any]]


class StoredFile(Struct, frozen=True):
    """An uploaded file; its content can be read until the next item is requested."""

    key: str
    content: IO[bytes]
    sha256: str


Item: TypeAlias = Header | Rows | StoredFile | Manifest


@dataclass
class _Table:
    rows: int = 0
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)


class BackupReader:
    """Yields what is in a backup, and collects what is wrong with it in `faults`.

    A caller that writes anything must look at `faults` before it makes that permanent: some faults
    are found only at the end.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.faults: list[str] = []
        self.header: Header | None = None
        self.manifest: Manifest | None = None
        self.missing = 0
        """Files that the store did not have when the backup was made."""
        self._tables: dict[str, _Table] = {}
        self._files = 0
        self._file_bytes = 0
        self._file_digest = hashlib.sha256()
        self._expected: IO[bytes] = io.BytesIO()
        """The keys of the files that must follow; a temporary file while reading."""
        self._is_reading_files = False

    def read(self) -> Generator[Item, None, None]:
        """Yield header, rows, files and manifest, in this order."""
        with TemporaryFile() as self._expected:
            try:
                for member in read_archive(self._stream):
                    yield from self._read_member(member)
            except BrokenArchiveError as error:
                self._fault(str(error))
            if self.header is None or self.manifest is None:
                self._fault("it is not complete: its last part, the manifest, was never written")

    def read_all(self) -> None:
        """Read to the end, for the faults alone."""
        for _ in self.read():
            pass

    def _read_member(self, member: Member) -> Iterator[Item]:
        if not member.is_intact:
            self._fault(f"{member.name} has another content than was written")
            if self.header is None:
                # Most likely something else than a backup.
                raise BrokenArchiveError("its first part, the header, is not valid")
        if self.header is None:
            yield self._read_header(member)
        elif self.manifest is not None:
            self._fault(f"unexpected part {member.name}")
        elif member.name == MANIFEST_NAME:
            if (manifest := self._parse(Manifest, member)) is not None:
                self._check_manifest(manifest)
                yield manifest
        elif member.name.startswith((FILES, MISSING)):
            yield from self._read_file(member)
        else:
            yield from self._read_lines(member)

    def _read_header(self, member: Member) -> Header:
        header = self._parse(Header, member) if member.name == HEADER_NAME else None
        if header is None:
            raise BrokenArchiveError("it is not a backup of chatapi")
        if header.format_version != FORMAT_VERSION:
            raise BrokenArchiveError(
                f"its format is {header.format_version}; this version reads {FORMAT_VERSION}"
            )
        self.header = header
        return header

    def _read_lines(self, member: Member) -> Iterator[Item]:
        prefix = piece_prefix(member.name)
        if prefix is None or not prefix.startswith((TABLES, REFERENCES)):
            self._fault(f"unexpected part {member.name}")
            return
        try:
            lines = unpack_lines(self._read_small(member))
            parsed = parse_lines(lines)
        except BadLinesError as error:
            self._fault(f"{member.name} cannot be read: {error}")
            return
        if prefix == REFERENCES:
            self._expect_files(parsed)
            return
        name = prefix.removeprefix(TABLES).removesuffix("/")
        rows = _as_rows(name, parsed)
        if rows is None:
            self._fault(f"{member.name} has rows of another form")
            return
        table = self._tables.setdefault(name, _Table())
        table.rows += len(rows.rows)
        table.digest.update(lines)
        yield rows

    def _expect_files(self, keys: list[Any]) -> None:
        for key in keys:
            self._expected.write(f"{key}\n".encode())

    def _read_file(self, member: Member) -> Iterator[Item]:
        if not self._is_reading_files:
            self._expected.seek(0)
            self._is_reading_files = True
        is_missing = member.name.startswith(MISSING)
        key = member.name.removeprefix(MISSING if is_missing else FILES)
        if not _KEY.fullmatch(key):
            self._fault(f"{member.name} is not the name of an uploaded file")
            return
        for line in self._expected:
            if (expected := line.decode().rstrip("\n")) == key:
                break
            self._fault(f"the uploaded file {expected} is missing")
        else:
            self._fault(f"no row refers to {member.name}")
        if is_missing:
            self.missing += 1
            return
        self._files += 1
        self._file_bytes += member.size
        self._file_digest.update(f"{key} {member.size} {member.sha256}\n".encode())
        yield StoredFile(key, member.content, member.sha256)

    def _check_manifest(self, manifest: Manifest) -> None:
        self.manifest = manifest
        if not self._is_reading_files:
            self._expected.seek(0)
        for line in self._expected:
            self._fault(f"the uploaded file {line.decode().rstrip()} is missing")
        for name in sorted(manifest.tables.keys() | self._tables.keys()):
            self._check_table(name, manifest)
        files = FilesContent(
            count=self._files,
            bytes=self._file_bytes,
            sha256=self._file_digest.hexdigest(),
            missing=self.missing,
        )
        if files != manifest.files and not self.faults:
            self._fault("the uploaded files are not those that the manifest lists")

    def _check_table(self, name: str, manifest: Manifest) -> None:
        found, listed = self._tables.get(name, _Table()), manifest.tables.get(name)
        if listed is None:
            self._fault(f"the manifest does not list the table {name}")
        elif found.rows != listed.rows:
            self._fault(f"the table {name} has {found.rows} rows instead of {listed.rows}")
        elif found.digest.hexdigest() != listed.sha256:
            self._fault(f"the table {name} has other rows than were written")

    def _parse(self, kind: type[Part], member: Member) -> Part | None:
        try:
            return kind.model_validate_json(self._read_small(member))
        except (ValidationError, BadLinesError):
            self._fault(f"{member.name} cannot be read")
            return None

    def _read_small(self, member: Member) -> bytes:
        if member.size > _MAX_SMALL_BYTES:
            raise BadLinesError("it is too large")
        return member.content.read()

    def _fault(self, sentence: str) -> None:
        if len(self.faults) < _MAX_FAULTS:
            self.faults.append(sentence)


def _as_rows(table: str, parsed: list[Any]) -> Rows | None:
    """The rows of a piece, whose first line has the names of the columns; None if malformed."""
    if not parsed or not all(isinstance(line, list) for line in parsed):
        return None
    columns, *rows = parsed
    is_named = all(isinstance(name, str) for name in columns)
    if not is_named or any(len(row) != len(columns) for row in rows):
        return None
    return Rows(table, columns, rows)
