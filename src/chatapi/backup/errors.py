"""Errors of backups; commands print them in one line."""

from dataclasses import dataclass

from typing_extensions import override

from chatapi.core.errors import ApiError

_SHOWN_FAULTS = 3


@dataclass(eq=False)
class BackupExistsError(ApiError):
    """The file to be written is already there."""

    code = "BACKUP_EXISTS"
    text = "{path} exists already; choose another name, or replace it with --force"
    path: str


@dataclass(eq=False)
class BackupUnderWayError(ApiError):
    """Another process is writing the same file."""

    code = "BACKUP_UNDER_WAY"
    text = "Another backup is being written to {path}"
    path: str


@dataclass(eq=False)
class BackupUnreadableError(ApiError):
    """The file does not exist, or may not be read."""

    code = "BACKUP_UNREADABLE"
    text = "Cannot read {path}: {reason}"
    path: str
    reason: str


@dataclass(eq=False)
class DamagedBackupError(ApiError):
    """The file is not a complete backup, or not what was written."""

    code = "BACKUP_DAMAGED"
    text = "The backup is damaged: {faults}"
    faults: list[str]

    @property
    @override
    def msg(self) -> str:
        shown = "; ".join(self.faults[:_SHOWN_FAULTS])
        more = len(self.faults) - _SHOWN_FAULTS
        return self.text.format(faults=f"{shown}; and {more} more" if more > 0 else shown)


@dataclass(eq=False)
class NewerBackupError(ApiError):
    """The backup was made by a later version of the service."""

    code = "BACKUP_TOO_NEW"
    text = (
        "The backup was made by chatapi {made_by}, whose database revision {revision} is newer than"
        " the {newest} of this version; restore it with that version or a later one"
    )
    made_by: str
    revision: str
    newest: str


@dataclass(eq=False)
class DatabaseNotEmptyError(ApiError):
    """A backup is restored only where nothing can be overwritten."""

    code = "DATABASE_NOT_EMPTY"
    text = (
        "The database {database} is not empty: a backup is restored into an empty one only; name"
        " another with CHATAPI_DATABASE_URL or CHATAPI_DATA_DIR"
    )
    database: str


@dataclass(eq=False)
class FileNotStoredError(ApiError):
    """An uploaded file cannot be put into the store, for example since the disk is full."""

    code = "FILE_NOT_STORED"
    text = "Cannot store the uploaded file {key}: {reason}; the database stays empty"
    key: str
    reason: str


@dataclass(eq=False)
class NoTablesError(ApiError):
    """There is nothing to back up."""

    code = "DATABASE_EMPTY"
    text = "The database {database} has no tables, so there is nothing to back up"
    database: str
