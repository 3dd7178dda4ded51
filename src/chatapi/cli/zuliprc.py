"""`--zuliprc FILE`: writes the file in which existing clients look for server and API key."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from chatapi.auth.users import UserRecord
from chatapi.cli.errors import UnwritableFileError
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
        " http://127.0.0.1:8000; with several organizations, the address of this one]",
        show_default=False,
    ),
]
_LOCAL_SITE = "http://127.0.0.1:8000"


class Zuliprc(Struct, frozen=True):
    """A file that can be written, with the address that was chosen for it, if any."""

    path: Path
    chosen_site: str | None

    def write(self, user: UserRecord, api_key: str, known_site: str | None) -> None:
        """Replace the file at once: no client reads half of it."""
        site = self.chosen_site or known_site or _LOCAL_SITE
        lines = ["[api]", f"email={user.delivery_email}", f"key={api_key}", f"site={site}", ""]
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
        yield Zuliprc(path, site)
    finally:
        _part_of(path).unlink(missing_ok=True)


def _part_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")
