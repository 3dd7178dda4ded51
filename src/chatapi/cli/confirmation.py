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
    """Print a warning and ask whether to go on; without a terminal, `--yes` must have been said."""
    if yes:
        note(printable(warning))
        return
    _require_terminal(warning, as_json=as_json)
    note(printable(warning))
    if not typer.confirm("Go on?", err=True):
        exit_with_error(NotConfirmedError(), as_json=as_json)


def confirm_by_name(warning: str, name: str, *, yes: bool, as_json: bool) -> None:
    """Let the name be typed of what is about to be lost: a `y` is typed too easily."""
    if yes:
        return
    _require_terminal(warning, as_json=as_json)
    note(printable(warning))
    typed: str = typer.prompt(f"Type {name} to go on", default="", show_default=False, err=True)
    if typed.strip() != name:
        exit_with_error(NotConfirmedError(), as_json=as_json)


def _require_terminal(warning: str, *, as_json: bool) -> None:
    if not sys.stdin.isatty():
        exit_with_error(ConfirmationNeededError(warning), as_json=as_json)
