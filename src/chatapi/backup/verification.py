"""Checks a backup without restoring it."""

from contextlib import ExitStack
from typing import IO

from chatapi.backup.errors import DamagedBackupError, NewerBackupError
from chatapi.backup.manifest import Header, Manifest
from chatapi.backup.reader import BackupReader, Item, Rows
from chatapi.db.foreign_key_check import ForeignKeyCheck, foreign_key_check
from chatapi.db.migrate import newest_revision
from chatapi.db.raw_loading import RefusedRowsError


def verify_backup(stream: IO[bytes]) -> tuple[Header, Manifest]:
    """Read a whole backup and check all that can be checked without a database.

    Checksums, the numbers of rows, the list of files, and that no row refers to a missing one.
    Raises `DamagedBackupError`, or `NewerBackupError` for tables that this version does not know.
    """
    reader = BackupReader(stream)
    with ExitStack() as stack:
        verification = _Verification(stack)
        for item in reader.read():
            verification.add(item)
        faults = [*reader.faults, *verification.list_faults()]
    if faults or reader.header is None or reader.manifest is None:
        raise DamagedBackupError(faults)
    return reader.header, reader.manifest


class _Verification:
    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._foreign_keys: ForeignKeyCheck | None = None
        self._refused: set[str] = set()

    def add(self, item: Item) -> None:
        match item:
            case Header():
                if item.revision > newest_revision():
                    raise NewerBackupError(item.chatapi_version, item.revision, newest_revision())
                self._foreign_keys = self._stack.enter_context(foreign_key_check(item.revision))
            case Rows() if self._foreign_keys is not None:
                try:
                    self._foreign_keys.add(item.table, item.columns, item.rows)
                except RefusedRowsError as error:
                    self._refused.add(str(error))

    def list_faults(self) -> list[str]:
        broken = [] if self._foreign_keys is None else self._foreign_keys.list_broken()
        return [*sorted(self._refused), *broken]
