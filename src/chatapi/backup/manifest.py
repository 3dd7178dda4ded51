"""What a backup says about itself: first when and from what it was made, at last what is in it."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

FORMAT_VERSION = 1

HEADER_NAME = "header.json"
MANIFEST_NAME = "manifest.json"
TABLES = "tables/"
REFERENCES = "references/"
FILES = "files/"
MISSING = "missing/"


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Header(_Part):
    """The first member of the archive, known before anything is read from the database."""

    format: Literal["chatapi backup"] = "chatapi backup"
    format_version: int = FORMAT_VERSION
    chatapi_version: str
    revision: str = Field(pattern=r"^[0-9]{4}$")
    """Of the database: the newest migration that was applied to it."""
    database: Literal["sqlite", "postgresql"]
    deployment: str | None
    """None for revisions that had no such id."""
    began_at: datetime


class TableContent(_Part):
    """The rows of one table."""

    rows: int
    sha256: str
    """Of its lines, without compression."""


class FilesContent(_Part):
    """The uploaded files that rows refer to."""

    count: int
    bytes: int
    sha256: str
    """Of one line for each file: key, size and SHA-256."""
    missing: int
    """Files that rows refer to and that the store did not have any more."""


class Manifest(_Part):
    """The last member: a file without it is not complete."""

    ended_at: datetime
    tables: dict[str, TableContent]
    sequences: dict[str, int]
    """The highest id that each table has ever assigned."""
    files: FilesContent

    @property
    def rows(self) -> int:
        return sum(table.rows for table in self.tables.values())
