"""The `chatapi` command: one module per group of commands."""

from typing import Annotated

import typer

from chatapi import __version__
from chatapi.cli import database, organizations, users
from chatapi.cli.audit import audit
from chatapi.cli.demo import demo
from chatapi.cli.doctor import doctor
from chatapi.cli.failures import run_reporting_failures
from chatapi.cli.openapi import print_openapi
from chatapi.cli.serve import serve
from chatapi.cli.settings import show_settings
from chatapi.cli.unknown_settings import warn_of_unknown_settings

app = typer.Typer(
    name="chatapi",
    help="A team chat server.",
    no_args_is_help=True,
    add_completion=False,
    # Operators send us tracebacks, and local variables hold secrets.
    pretty_exceptions_enable=False,
)
app.command()(serve)
app.add_typer(organizations.app, name="org")
app.add_typer(users.app, name="user")
app.add_typer(database.app, name="db")
app.command()(audit)
app.command()(demo)
app.command()(doctor)
app.command("settings")(show_settings)
app.command("openapi")(print_openapi)


def main() -> None:
    run_reporting_failures(lambda: app(prog_name="chatapi"))


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"chatapi {__version__}")
        raise typer.Exit


@app.callback()
def chatapi(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """A team chat server."""
    warn_of_unknown_settings()
