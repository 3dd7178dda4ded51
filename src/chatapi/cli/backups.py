"""`chatapi db backup`, `restore` and `verify`."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, TypeVar

import typer

from chatapi.backup import (
    BackupOutput,
    BackupSummary,
    RestoreSummary,
    backup_output,
    create_backup,
    restore_backup,
    verify_backup,
)
from chatapi.backup.errors import BackupUnreadableError
from chatapi.cli.consoles import stderr
from chatapi.cli.errors import UnwritableFileError
from chatapi.cli.operator import (
    database_errors,
    database_failure,
    load_settings,
    open_database,
    reach,
)
from chatapi.cli.terminal import AsJson, exit_with_error, note, print_result
from chatapi.core.clock import SystemClock
from chatapi.core.errors import ApiError
from chatapi.db.database import Database
from chatapi.files.store import FileStore
from chatapi.files.stores import store_for

T = TypeVar("T")

_STANDARD_STREAM = "-"
_SHOWN_FILES = 10

BackupFile = Annotated[str, typer.Argument(metavar="FILE", help="The backup; `-`: standard input.")]


def backup(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="The file to write; `-`: standard output.")
    ],
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing file.", show_default=False)
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write all rows and uploaded files to one file; the server may run meanwhile."""
    output = BackupOutput(None if file == _STANDARD_STREAM else Path(file), may_replace=force)

    async def create(database: Database, store: FileStore) -> BackupSummary:
        with _writing(file), backup_output(output) as stream:
            return await create_backup(database, store, stream, SystemClock(), _report)

    is_stdout_used = output.path is None
    summary = _run(create, as_json=as_json, is_stdout_used=is_stdout_used)
    if summary.lost_files:
        _warn_of_lost_files(summary.lost_files)
    manifest = summary.manifest
    deleted = manifest.files.missing - len(summary.lost_files)
    if deleted:
        note(f"{deleted} files were deleted while the backup was made, and are not in it.")
    payload = {
        "revision": summary.header.revision,
        "rows": summary.manifest.rows,
        "tables": {name: table.rows for name, table in manifest.tables.items()},
        "files": manifest.files.count,
        "file_bytes": manifest.files.bytes,
        "deleted_files": deleted,
        "lost_files": summary.lost_files,
        "bytes": summary.bytes,
    }
    text = (
        f"Saved {summary.manifest.rows} rows and {manifest.files.count} files"
        f" ({_in_mib(summary.bytes)}). Keep the backup as private as the database."
    )
    print_result(payload, text, as_json=as_json, is_stdout_used=is_stdout_used)


def restore(file: BackupFile, as_json: AsJson = False) -> None:
    """Fill an empty database, SQLite or PostgreSQL, and the store of files from a backup."""

    async def fill(database: Database, store: FileStore) -> RestoreSummary:
        with _reading(file) as stream:
            return await restore_backup(database, store, stream, _report)

    summary = _run(fill, as_json=as_json)
    payload = {
        "revision": summary.revision,
        "began_at": summary.header.began_at.isoformat(),
        "rows": summary.manifest.rows,
        "files": summary.manifest.files.count,
        "missing_files": summary.manifest.files.missing,
    }
    text = (
        f"Restored {summary.manifest.rows} rows and {summary.manifest.files.count} files, as they"
        f" were at {summary.header.began_at:%Y-%m-%d %H:%M:%S} UTC. Start the server"
        f" with: chatapi serve"
    )
    print_result(payload, text, as_json=as_json)


def verify(file: BackupFile, as_json: AsJson = False) -> None:
    """Read a whole backup and check everything in it; exit status 1 if something is wrong."""
    try:
        with _reading(file) as stream:
            header, manifest = verify_backup(stream)
    except ApiError as error:
        exit_with_error(error, as_json=as_json)
    payload = {
        **header.model_dump(mode="json"),
        "rows": manifest.rows,
        "tables": {name: table.rows for name, table in manifest.tables.items()},
        "files": manifest.files.count,
        "missing_files": manifest.files.missing,
    }
    text = (
        f"The backup is complete: {manifest.rows} rows and {manifest.files.count} files, made from"
        f" {header.database} at {header.began_at:%Y-%m-%d %H:%M:%S} UTC by chatapi"
        f" {header.chatapi_version} (revision {header.revision})."
    )
    print_result(payload, text, as_json=as_json)


def _run(
    work: Callable[[Database, FileStore], Awaitable[T]],
    *,
    as_json: bool,
    is_stdout_used: bool = False,
) -> T:
    """Run work on the database and the store of files that the settings select."""

    async def run() -> T:
        settings = load_settings()
        async with open_database(settings) as database:
            await reach(database)
            store = store_for(settings, SystemClock())
            try:
                return await work(database, store)
            except database_errors() as error:
                raise database_failure(database, error) from error
            finally:
                await store.close()

    try:
        return asyncio.run(run())
    except ApiError as error:
        exit_with_error(error, as_json=as_json, is_stdout_used=is_stdout_used)


@contextmanager
def _writing(file: str) -> Generator[None, None, None]:
    """Translate errors of a file that cannot be written, such as a full disk."""
    try:
        yield
    except OSError as error:
        is_of_database = isinstance(error, ConnectionError)
        if is_of_database and not isinstance(error, BrokenPipeError):
            raise
        raise UnwritableFileError(file, error.strerror or str(error)) from error


@contextmanager
def _reading(file: str) -> Generator[IO[bytes], None, None]:
    try:
        descriptor = sys.stdin.fileno() if file == _STANDARD_STREAM else os.open(file, os.O_RDONLY)
        stream = os.fdopen(descriptor, "rb")
    except OSError as error:
        raise BackupUnreadableError(file, error.strerror or str(error)) from None
    with stream:
        yield stream


def _report(line: str) -> None:
    """Print a line about the progress, if a terminal shows it."""
    if stderr.is_terminal:
        note(line)


def _warn_of_lost_files(keys: list[str]) -> None:
    shown = ", ".join(keys[:_SHOWN_FILES])
    note(
        f"The store does not have {len(keys)} files that rows refer to, so they are not in the"
        f" backup: {shown}{', ...' if len(keys) > _SHOWN_FILES else ''}"
    )


def _in_mib(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MiB"
