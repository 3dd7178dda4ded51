"""`chatapi serve`: prepare the database, print the server's address, and serve."""

import asyncio
import gc
import socket
from contextlib import suppress
from functools import partial
from typing import Annotated

import typer
from uvicorn.config import STARTUP_FAILURE, Config
from uvicorn.server import Server

from chatapi.cli.bootstrap import InitialOwner, create_first_organization
from chatapi.cli.errors import (
    AddressUnavailableError,
    DatabaseUnreachableError,
    InvalidSettingsError,
)
from chatapi.cli.operator import (
    database_faults_named,
    load_settings,
    newer_database_named,
    open_database,
    open_runtime,
    reach,
    require_writable,
)
from chatapi.cli.terminal import exit_with_error, note
from chatapi.cli.welcome import Address, greet
from chatapi.cli.workers import Supervisor
from chatapi.core.clock import stopwatch
from chatapi.core.errors import ApiError
from chatapi.core.settings import Settings
from chatapi.db.database import Database
from chatapi.db.migrate import upgrade_database
from chatapi.http.connections import KEEP_ALIVE_SECONDS, BoundedHttpProtocol

_DATABASE_PATIENCE_SECONDS = 30
_DATABASE_RETRY_SECONDS = 0.5
_BACKLOG = 2048


def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free port.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes that serve.")] = 1,
    shutdown_grace: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="SECONDS",
            help="How long requests under way may take after SIGTERM.",
            show_default="CHATAPI_SHUTDOWN_GRACE_SECONDS",
        ),
    ] = None,
) -> None:
    """Run the server; on the first start, create an organization with an owner."""
    try:
        settings = load_settings()
        if shutdown_grace is not None:
            settings = settings.model_copy(update={"shutdown_grace_seconds": shutdown_grace})
        if workers > 1 and settings.metrics == "on" and not settings.metrics_port:
            raise InvalidSettingsError(
                "CHATAPI_METRICS_PORT: needed with several workers, since each has its own metrics"
            )
        # Bind first: the first start must not print passwords for a server that cannot listen.
        listener = _bind(host, port)
        owner = asyncio.run(_prepare(settings))
    except ApiError as error:
        exit_with_error(error, as_json=False)
    if workers > 1 and not settings.redis_url:
        note(
            "Several processes without CHATAPI_REDIS_URL: events reach the clients of another "
            "process within a second, not at once, and each process counts logins by itself."
        )
    # Clients that connect right after the greeting wait in the backlog until the server has
    # started.
    listener.listen(_BACKLOG)
    greet(Address(host, listener.getsockname()[1]), settings, owner)
    if workers > 1:
        gc.enable()
        grace = settings.shutdown_grace_seconds
        Supervisor(partial(_server_config, settings), listener, workers, grace).run()
    else:
        _run_alone(_server_config(settings), listener)


def _bind(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        raise AddressUnavailableError(host, port, error.strerror or str(error)) from error
    listener.set_inheritable(True)
    return listener


async def _prepare(settings: Settings) -> InitialOwner | None:
    """Upgrade the database and make sure that there is an organization."""
    require_writable(settings)
    async with open_database(settings) as database:
        await _wait_for(database)
        if settings.migrate_on_start:
            with newer_database_named(), database_faults_named(database):
                await upgrade_database(database)
    async with open_runtime(settings) as runtime:
        with database_faults_named(runtime.database):
            return await create_first_organization(runtime)


async def _wait_for(database: Database) -> None:
    """Wait for the database: containers start in any order."""
    deadline = stopwatch() + _DATABASE_PATIENCE_SECONDS
    is_first_try = True
    while True:
        try:
            await reach(database)
        except DatabaseUnreachableError as error:
            if database.is_sqlite or not error.is_temporary or stopwatch() > deadline:
                raise
            if is_first_try:
                note(f"{error.msg}; trying for {_DATABASE_PATIENCE_SECONDS} seconds")
        else:
            return
        is_first_try = False
        await asyncio.sleep(_DATABASE_RETRY_SECONDS)


def _server_config(settings: Settings) -> Config:
    return Config(
        "chatapi.main:create_served_app",
        factory=True,
        lifespan="on",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=_BACKLOG,
        http=BoundedHttpProtocol,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        # Polls end at once; other running requests have this long.
        timeout_graceful_shutdown=settings.shutdown_grace_seconds,
    )


def _run_alone(config: Config, listener: socket.socket) -> None:
    server = Server(config)
    # The server has shut down properly by then; Ctrl-C is the usual way to stop it.
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    if not server.started:
        raise typer.Exit(STARTUP_FAILURE)
