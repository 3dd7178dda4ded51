"""The `chatapi` command: one module per group of commands."""

import gc
import sys

from chatapi.core.lean_imports import import_without

# Before anything else imports them: structlog would load rich for tracebacks, and uvicorn a
# library that watches files, both of which a server does not use.
import_without("structlog", "rich")
import_without("uvicorn", "uvicorn.supervisors.watchfilesreload")


def main() -> None:
    """Run the command that the arguments name."""
    # Importing makes many objects and no garbage: not looking for any saves some tenths of a
    # second. A process that goes on for longer looks for it again from where it begins to serve.
    gc.disable()
    # Only now: what the commands import takes most of the time that a command runs.
    from chatapi.cli.commands import build_app  # noqa: PLC0415
    from chatapi.cli.failures import run_reporting_failures  # noqa: PLC0415

    app = build_app(sys.argv[1:])
    run_reporting_failures(lambda: app(prog_name="chatapi"))
