"""Commands of the operator: they work on the database directly, without permission checks."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Annotated, TypeVar

import typer
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from chatapi.audit.entries import AuditSource
from chatapi.auth.caller_cache import Caller
from chatapi.auth.context import Context, RealmContext
from chatapi.auth.realm_cache import RealmRecord
from chatapi.auth.realm_rows import RealmRows
from chatapi.auth.runtime import Runtime
from chatapi.auth.users import UserRecord
from chatapi.cli.errors import (
    DatabaseOutdatedError,
    DatabaseTooNewError,
    DatabaseUnreachableError,
    InvalidSettingsError,
    NoOrganizationError,
    ReadOnlyDataError,
    WhichOrganizationError,
)
from chatapi.cli.terminal import exit_with_error
from chatapi.core.clock import SystemClock
from chatapi.core.errors import ApiError
from chatapi.core.logging import configure_logging
from chatapi.core.settings import Settings
from chatapi.db.availability import is_unavailable
from chatapi.db.database import Database
from chatapi.db.migrate import UnknownRevisionError
from chatapi.db.session import DatabaseSession
from chatapi.events.buses import bus_for
from chatapi.features.messages import post_notices
from chatapi.features.users import emit_user_visibility

T = TypeVar("T")

OrganizationOption = Annotated[
    str | None,
    typer.Option(
        "--org", metavar="SUBDOMAIN", help="The organization; needed only if there are several."
    ),
]

_REMEDIES = (
    ("readonly database", "the account that runs chatapi must be able to write to it"),
    ("disk is full", "make room on its disk"),
    ("disk I/O error", "its disk is full or broken"),
    ("password authentication failed", "correct the password in CHATAPI_DATABASE_URL"),
)
"""What databases say about faults that an operator can mend, and how."""
_UNDEFINED_TABLE_OR_COLUMN = ("42P01", "42703")
_NO_SUCH_TABLE_OR_COLUMN = ("no such table", "no such column")


def run_command(work: Callable[[Runtime], Awaitable[T]], *, as_json: bool) -> T:
    """Run a command; errors an operator can fix end it with a one-line message."""
    try:
        return asyncio.run(_run(work))
    except ApiError as error:
        exit_with_error(error, as_json=as_json)


def run_on_database(
    work: Callable[[Database], Awaitable[T]], *, as_json: bool, writes: bool = False
) -> T:
    """Run a command that needs no tables, such as the one that creates them."""

    async def run() -> T:
        settings = load_settings()
        if writes:
            require_writable(settings)
        async with open_database(settings) as database:
            await reach(database)
            with newer_database_named(), database_faults_named(database):
                return await work(database)

    try:
        return asyncio.run(run())
    except ApiError as error:
        exit_with_error(error, as_json=as_json)


async def _run(work: Callable[[Runtime], Awaitable[T]]) -> T:
    async with open_runtime(load_settings()) as runtime:
        with database_faults_named(runtime.database):
            await runtime.queues.begin_epoch()
            return await work(runtime)


def load_settings() -> Settings:
    """Load the settings from the environment; logs do not go to stdout."""
    try:
        settings = Settings()
    except ValidationError as error:
        faults = (
            f"CHATAPI_{str(fault['loc'][0]).upper()}: {fault['msg'].removeprefix('Value error, ')}"
            for fault in error.errors(include_url=False)
        )
        raise InvalidSettingsError("; ".join(faults)) from None
    configure_logging(settings)
    return settings


@asynccontextmanager
async def open_runtime(settings: Settings) -> AsyncGenerator[Runtime, None]:
    """Open a runtime connected to the bus, so that running servers see changes at once.

    It follows the event log from the start, so the tables must be there; see `open_database`.
    """
    with _unusable_database_named(settings):
        runtime = Runtime.assemble(
            settings, SystemClock(), bus_for(settings), post_notices, emit_user_visibility
        )
    try:
        # Before the event log is followed: that would log the same failure once more.
        await reach(runtime.database)
        await runtime.start()
        yield runtime
    finally:
        await runtime.close()


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncGenerator[Database, None]:
    """Open the database alone, whatever state its tables are in."""
    with _unusable_database_named(settings):
        database = Database(settings)
    try:
        yield database
    finally:
        await database.close()


@contextmanager
def _unusable_database_named(settings: Settings) -> Generator[None, None, None]:
    """Translate errors of a database that cannot be opened into a message with its address."""
    try:
        yield
    except (OSError, SQLAlchemyError, RuntimeError, ValueError) as error:
        address = settings.effective_database_url.partition("?")[0].rpartition("@")[2]
        raise DatabaseUnreachableError(address, str(error), is_temporary=False) from error


def require_writable(settings: Settings) -> None:
    """Raise an error if the account may not write to the SQLite file or to the data folder.

    Call it before the database is opened: SQLite creates further files, with the mode of the first.
    """
    paths = [settings.data_dir, settings.uploads_dir]
    if (file := settings.sqlite_path) is not None:
        # SQLite creates further files in the same folder.
        paths += [file.parent, file]
    for path in paths:
        if path.exists() and not os.access(path, os.W_OK):
            raise ReadOnlyDataError(str(path))


def database_errors() -> tuple[type[Exception], ...]:
    """What a database can raise when it is opened or asked."""
    # Only after an error: a server on SQLite does not load the driver of PostgreSQL.
    import asyncpg  # noqa: PLC0415

    return (OSError, SQLAlchemyError, asyncpg.PostgresError, asyncpg.InterfaceError)


async def reach(database: Database) -> None:
    """Connect once, so that a later failure is not one of the connection."""
    try:
        async with database.engine.connect():
            pass
    except database_errors() as error:
        raise database_failure(database, error) from error


def database_failure(database: Database, error: Exception) -> DatabaseUnreachableError:
    """Translate an error of the database into a message with its address."""
    said = str(error.orig if isinstance(error, DBAPIError) else error) or type(error).__name__
    reason = said.splitlines()[0]
    remedy = _remedy_for(reason)
    return DatabaseUnreachableError(
        database.url.set(query={}).render_as_string(hide_password=True),
        f"{reason}; {remedy}" if remedy else reason,
        is_temporary=is_unavailable(error),
    )


@asynccontextmanager
async def organization(
    runtime: Runtime, subdomain: str | None
) -> AsyncGenerator[RealmContext, None]:
    """Open one organization and one transaction, committed at the end of the block.

    The use cases lock the organization themselves, after what takes long.
    """
    async with runtime.begin() as work:
        realm = await named_organization(work.db, subdomain)
        yield RealmContext.without_request(runtime, work, realm, AuditSource.COMMAND_LINE)


def acting_as(ctx: RealmContext, user: UserRecord) -> Context:
    """Context for actions that only a user can do: the operator acts as one of the users."""
    return ctx.acting_as(Caller(user), "chatapi command")


@contextmanager
def newer_database_named() -> Generator[None, None, None]:
    """Translate the error of a database that a newer version has migrated."""
    try:
        yield
    except UnknownRevisionError as error:
        raise DatabaseTooNewError(error.revision) from error


@contextmanager
def database_faults_named(database: Database) -> Generator[None, None, None]:
    """Translate errors that an operator can mend, such as missing tables, into a clear message."""
    try:
        yield
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None)
        says = str(error.orig)
        if state in _UNDEFINED_TABLE_OR_COLUMN or says.startswith(_NO_SUCH_TABLE_OR_COLUMN):
            raise DatabaseOutdatedError from error
        if _remedy_for(says):
            raise database_failure(database, error) from error
        raise


def _remedy_for(reason: str) -> str | None:
    return next((remedy for said, remedy in _REMEDIES if said in reason), None)


async def named_organization(
    db: DatabaseSession, subdomain: str | None, *, with_deleted: bool = False
) -> RealmRecord:
    """Return the organization with a subdomain, or the only one if none is named."""
    rows = RealmRows(db)
    found = await (rows.list_with_deleted() if with_deleted else rows.list_all())
    realms = {realm.subdomain: realm for realm in found}
    if not realms:
        raise NoOrganizationError
    if subdomain is None and len(realms) == 1:
        return next(iter(realms.values()))
    realm = realms.get((subdomain or "").lower())
    if realm is None:
        raise WhichOrganizationError(list(realms))
    return realm
