"""Checks of the database: reachable, up to date, durable, and large enough."""

import os
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from chatapi.cli.doctor.finding import Area, Finding
from chatapi.cli.errors import DatabaseUnreachableError
from chatapi.cli.operator import database_failure, open_database, reach
from chatapi.core.clock import SystemClock
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.migrate import MigrationState, read_migration_state
from chatapi.db.server_facts import PostgresFacts, read_postgres_facts

_DATABASE = Area("database")
_NETWORK_FILE_SYSTEMS = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "ceph"}
_MOUNTS = Path("/proc/self/mounts")
_MAX_CLOCK_DIFFERENCE_SECONDS = 2.0
_RESERVED_CONNECTIONS = 3
"""PostgreSQL keeps these for its administrator."""
_STATES = {
    MigrationState.CURRENT: _DATABASE.ok("the tables are up to date"),
    MigrationState.EMPTY: _DATABASE.warning(
        "there are no tables yet: start the server, or run chatapi db upgrade"
    ),
    MigrationState.OUTDATED: _DATABASE.warning(
        "the tables are not up to date: start the server, or run chatapi db upgrade"
    ),
    MigrationState.TOO_NEW: _DATABASE.error(
        "a newer version of chatapi has upgraded the tables: use that version, or restore a backup"
    ),
}


async def check_database(settings: Settings, workers: int) -> list[Finding]:
    """Returns at least one finding; creates no database where there is none."""
    try:
        file = settings.sqlite_path
        if file is not None and not file.exists():
            return [_DATABASE.ok(f"{file} does not exist yet: the first start creates it")]
        async with open_database(settings) as database:
            await reach(database)
            return await _check_opened(database, file, workers)
    except DatabaseUnreachableError as error:
        return [_DATABASE.error(f"{error.msg}: correct CHATAPI_DATABASE_URL, or start the server")]


async def _check_opened(database: Database, file: Path | None, workers: int) -> list[Finding]:
    try:
        state = _STATES[await read_migration_state(database)]
        if file is not None:
            return [state, *check_file_system(file, _mounts())]
        facts = await read_postgres_facts(database)
        return [state, *_check_postgres(facts, database, workers)]
    except DBAPIError as error:
        return [_DATABASE.error(database_failure(database, error).msg)]


def _check_postgres(facts: PostgresFacts, database: Database, workers: int) -> Iterator[Finding]:
    yield _DATABASE.ok(f"PostgreSQL {facts.version} answers")
    # One more in each process watches over the others.
    needed = (database.pool_size + 1) * workers
    allowed = facts.max_connections - _RESERVED_CONNECTIONS
    if needed > allowed:
        yield _DATABASE.error(
            f"{workers} processes open up to {needed} connections, and PostgreSQL allows {allowed}:"
            " raise max_connections, or lower CHATAPI_DATABASE_POOL_SIZE"
        )
    for name in facts.switched_off:
        yield _DATABASE.error(
            f"{name} is off: messages are lost in a crash; switch it on in postgresql.conf"
        )
    difference = abs((facts.now - SystemClock().now()).total_seconds())
    if difference > _MAX_CLOCK_DIFFERENCE_SECONDS:
        yield _DATABASE.warning(
            f"its clock differs by {difference:.0f} seconds from the one here: synchronize both"
        )


def check_file_system(file: Path, mounts: dict[str, str]) -> Iterator[Finding]:
    """SQLite relies on locks that network file systems do not keep."""
    path = os.path.realpath(file)
    around = [point for point in mounts if path.startswith(point.rstrip("/") + "/")]
    kind = mounts[max(around, key=len)] if around else ""
    if kind in _NETWORK_FILE_SYSTEMS:
        yield _DATABASE.error(
            f"{file} is on a network file system ({kind}), which can destroy it: "
            "move it to a local disk, or use PostgreSQL"
        )
    else:
        yield _DATABASE.ok(f"{file} is on a local disk")


def _mounts() -> dict[str, str]:
    """The file systems by the folders where they are; empty where the system does not tell."""
    if not _MOUNTS.exists():
        return {}
    rows = [line.split() for line in _MOUNTS.read_text().splitlines()]
    return {row[1]: row[2] for row in rows}
