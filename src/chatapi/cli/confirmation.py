"""Questions before a command does what cannot be undone, or what clients notice at once."""

import sys
from typing import Annotated

import typer

from chatapi.cli.errors import ConfirmationNeededError, NotConfirmedError
from chatapi.cli.terminal import exit_with_error, note, printable

Yes = Annotated[
    bool, typer.Option("--yes", help="Do not ask, as scripts must.", show_default=False)
]


def confirm(warning: str, *, yes: bool, as_json: bool) -> None:
    """Print a warning, and ask on a terminal whether to go on.

    A script is only warned: what it did yesterday must not fail, and what it does can be undone.
    """
    note(printable(warning))
    if not yes and sys.stdin.isatty() and not typer.confirm("Go on?", err=True):
        exit_with_error(NotConfirmedError(), as_json=as_json)


def confirm_by_name(warning: str, name: str, *, yes: bool, as_json: bool) -> None:
    """Let the name be typed of what is about to be lost: a `y` is typed too easily.

    Without a terminal, `--yes` must have been passed.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        exit_with_error(ConfirmationNeededError(warning), as_json=as_json)
    note(printable(warning))
    typed: str = typer.prompt(f"Type {name} to go on", default="", show_default=False, err=True)
    if typed.strip() != name:
        exit_with_error(NotConfirmedError(), as_json=as_json)
