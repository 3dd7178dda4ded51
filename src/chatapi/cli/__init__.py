"""The `chatapi` command: one module per group of commands."""

import gc
import sys

from chatapi.core.lean_imports import build_models_later, defer_package, import_without

# Before anything else imports them: structlog would load rich for tracebacks, uvicorn its own
# command with all that it offers, and FastAPI builds the models of an OpenAPI document, none of
# which a server uses.
import_without("structlog", "rich")
defer_package("uvicorn", Config="config")
build_models_later()


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
