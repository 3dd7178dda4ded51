"""How commands read a password: not as an argument, which every process list shows."""

import sys
from typing import Annotated

import typer

from chatapi.cli.terminal import exit_with_error, note
from chatapi.core.errors import BadRequestError

PasswordFromStdin = Annotated[
    bool,
    typer.Option(
        "--password-stdin",
        help="Read the password from the first line of standard input.",
        show_default=False,
    ),
]
AskForPassword = Annotated[
    bool,
    typer.Option(
        "--ask-password", help="Ask for a password, without showing it.", show_default=False
    ),
]
PasswordArgument = Annotated[str | None, typer.Option("--password", hidden=True)]
"""Older scripts may still pass it; a warning tells them not to."""


def read_password(
    argument: str | None, *, from_stdin: bool, asks: bool, as_json: bool
) -> str | None:
    """Read the password in the way that was chosen; None if none was."""
    if sum((argument is not None, from_stdin, asks)) > 1:
        exit_with_error(BadRequestError("Choose one way to pass the password"), as_json=as_json)
    if argument is not None:
        note(
            "--password shows the password to everybody on this machine, and to the history of "
            "the shell: use --password-stdin"
        )
        return argument
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
        if not password:
            exit_with_error(BadRequestError("Standard input has no password"), as_json=as_json)
        return password
    return _ask(as_json=as_json) if asks else None


def _ask(*, as_json: bool) -> str:
    if not sys.stdin.isatty():
        message = "There is no terminal to ask for a password: use --password-stdin"
        exit_with_error(BadRequestError(message), as_json=as_json)
    # On stderr, since a script may read stdout.
    password: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    return password
