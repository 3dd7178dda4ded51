"""The last resort of every command: a sentence instead of a traceback."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress

import typer
from sqlalchemy.exc import DBAPIError

from chatapi.cli.errors import CommandFailedError
from chatapi.cli.terminal import exit_with_error
from chatapi.core.errors import ApiError
from chatapi.core.settings import Settings


def run_reporting_failures(run: Callable[[], None]) -> None:
    """Run the command; an error that nothing else has caught ends it with one line."""
    try:
        run()
    except Exception as error:
        if _wants_traceback():
            raise
        failed = CommandFailedError(_describe(error))
        failed.__cause__ = error
        _exit_with(error if isinstance(error, ApiError) else failed)


def _exit_with(error: ApiError) -> None:
    if isinstance(error.__cause__, OSError):
        _give_up_stdout()
    try:
        exit_with_error(error, as_json="--json" in sys.argv)
    except typer.Exit as exit_:
        sys.exit(exit_.exit_code)


def _give_up_stdout() -> None:
    """Discard what could not be written, or Python would try again at its end, and fail there."""
    with suppress(OSError):
        sys.stdout.flush()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _describe(error: Exception) -> str:
    """The cause in one line, in words of the system or the database where they have some."""
    if isinstance(error, DBAPIError):
        return f"the database says: {_first_line(error.orig)}"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    # A fault of ours: a report of it needs the traceback.
    return f"{_first_line(error)}; CHATAPI_LOG_LEVEL=debug shows where"


def _first_line(error: object) -> str:
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0]}" if said else type(error).__name__


def _wants_traceback() -> bool:
    try:
        return Settings().log_level == "debug"
    except ValueError:
        return False
