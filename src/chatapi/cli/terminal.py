"""Output of commands: text or JSON for scripts, and never control characters.

rich is imported by the functions that print with it: it would be a part of each server.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from chatapi.cli.errors import InvalidSettingsError
from chatapi.core.errors import ApiError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

_USAGE_ERROR = 2
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object, for scripts.", show_default=False)
]


def print_result(
    payload: Mapping[str, object],
    text: "RenderableType",
    *,
    as_json: bool,
    is_stdout_used: bool = False,
) -> None:
    """Print the result of a command; to stderr if stdout is used for what the command writes."""
    from rich.text import Text  # noqa: PLC0415

    console = _console(is_stdout_used=is_stdout_used)
    if as_json:
        _print_json({"result": "success", **payload}, console)
    else:
        console.print(text, soft_wrap=isinstance(text, str | Text))
        # Now, so that a full disk is an error of the command and not of the interpreter's end.
        console.file.flush()


def exit_with_error(error: ApiError, *, as_json: bool, is_stdout_used: bool = False) -> NoReturn:
    """Print an error in one line and exit; as JSON it is printed where a result would be."""
    if as_json:
        _print_json(error.envelope(), _console(is_stdout_used=is_stdout_used))
    else:
        _print_to_stderr(f"Error: {printable(error.msg)}", "red")
    raise typer.Exit(_USAGE_ERROR if isinstance(error, InvalidSettingsError) else 1)


def note(text: str) -> None:
    """Print a remark to stderr, never to stdout."""
    _print_to_stderr(text, "yellow")


def _print_to_stderr(text: str, colour: str) -> None:
    from rich.text import Text  # noqa: PLC0415

    from chatapi.cli.consoles import stderr  # noqa: PLC0415

    stderr.print(Text(text, style=colour), soft_wrap=True)


def _console(*, is_stdout_used: bool) -> "Console":
    from chatapi.cli.consoles import stderr, stdout  # noqa: PLC0415

    return stderr if is_stdout_used else stdout


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> "Table":
    """Build a table; all cells are escaped, since users wrote them."""
    from rich.table import Table  # noqa: PLC0415

    grid = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        grid.add_column(heading, overflow="fold")
    for row in rows:
        grid.add_row(*map(_spell, row))
    return grid


def _spell(cell: object) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return printable(str(cell))


def printable(text: str) -> str:
    """Escape characters that could move the cursor, change colours or reverse the line."""
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )


def _print_json(content: Mapping[str, object], console: "Console") -> None:
    # ASCII only: all other control characters are then escaped as well.
    console.file.write(json.dumps(content, ensure_ascii=True) + "\n")
    console.file.flush()
