"""`--zuliprc FILE`: writes the file in which existing clients look for server and API key."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from chatapi.auth.users import UserRecord
from chatapi.cli.errors import UnwritableFileError
from chatapi.cli.operator import load_settings
from chatapi.cli.terminal import exit_with_error
from chatapi.core.private_files import make_private_file

ZuliprcOption = Annotated[
    Path | None,
    typer.Option(
        "--zuliprc",
        dir_okay=False,
        help="Write address and API key to this file, which existing clients read.",
    ),
]
SiteOption = Annotated[
    str | None,
    typer.Option(
        help="Address of the server in that file. [default: CHATAPI_PUBLIC_URL, or"
        " http://127.0.0.1:8000]",
        show_default=False,
    ),
]
_LOCAL_SITE = "http://127.0.0.1:8000"


@dataclass(frozen=True)
class Zuliprc:
    """A file that can be written, with what it will contain besides the key."""

    path: Path
    site: str

    def write(self, user: UserRecord, api_key: str) -> None:
        """Replace the file at once: no client reads half of it."""
        lines = ["[api]", f"email={user.delivery_email}", f"key={api_key}", f"site={self.site}", ""]
        # The readers take a percent sign for the beginning of a reference.
        _part_of(self.path).write_text("\n".join(lines).replace("%", "%%"), encoding="utf-8")
        _part_of(self.path).replace(self.path)


@contextmanager
def zuliprc_file(
    path: Path | None, site: str | None, *, as_json: bool
) -> Generator[Zuliprc | None, None, None]:
    """Prepare to write a file, readable for its owner only; nothing without a path.

    Enter it before a key is replaced: if the file cannot be written, the former key stays valid.
    """
    if path is None:
        yield None
        return
    try:
        make_private_file(_part_of(path))
    except OSError as error:
        exit_with_error(
            UnwritableFileError(str(path), os.strerror(error.errno or 0)), as_json=as_json
        )
    try:
        yield Zuliprc(path, site or load_settings().public_url or _LOCAL_SITE)
    finally:
        _part_of(path).unlink(missing_ok=True)


def _part_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")
