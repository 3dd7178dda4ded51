"""The list of commands; a command's module is imported only to run it or to describe it."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from chatapi import __version__
from chatapi.cli.unknown_settings import warn_of_unknown_settings

_COMMANDS = {
    "serve": "serve:serve",
    "org": "organizations:app",
    "user": "users:app",
    "db": "database:app",
    "audit": "audit:audit",
    "demo": "demo:demo",
    "doctor": "doctor:doctor",
    "settings": "settings:show_settings",
    "openapi": "openapi:print_openapi",
}
"""The module of each command below this package, and its function or its group of commands."""


def build_app(arguments: Sequence[str] = ()) -> typer.Typer:
    """Build the command line: with the command that the arguments begin with, or with all."""
    app = typer.Typer(
        name="chatapi",
        help="A team chat server.",
        no_args_is_help=True,
        add_completion=False,
        # Operators send us tracebacks, and local variables hold secrets.
        pretty_exceptions_enable=False,
    )
    app.callback()(_describe)
    asked = arguments[0] if arguments else ""
    # Otherwise the arguments ask for help or for the version, or are a mistake: all are listed.
    for name in [asked] if asked in _COMMANDS else _COMMANDS:
        _add(app, name)
    return app


def _add(app: typer.Typer, name: str) -> None:
    module, _, attribute = _COMMANDS[name].partition(":")
    command: Callable[..., object] | typer.Typer = getattr(
        import_module(f"{__package__}.{module}"), attribute
    )
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"chatapi {__version__}")
        raise typer.Exit


def _describe(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """A team chat server."""
    warn_of_unknown_settings()
