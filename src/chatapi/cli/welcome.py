"""What `chatapi serve` prints before it serves."""

import shlex
import sys

import typer
from msgspec import Struct

from chatapi import __version__
from chatapi.cli.bootstrap import InitialOwner
from chatapi.core.settings import Settings

_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (what an operator may type)


class Address(Struct, frozen=True):
    """The address the server listens on."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """A URL that works on this machine."""
        host = _EVERY_ADDRESS.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"


def greet(address: Address, settings: Settings, owner: InitialOwner | None) -> None:
    """Print the server's address and, on the first start only, the secrets of the first owner."""
    facts = {"Address": address.url, "Docs": f"{address.url}/docs"}
    if settings.public_url:
        facts["Public address"] = settings.public_url
    if owner is not None:
        facts |= {
            "Owner's email": owner.email,
            "Password": owner.password,
            "API key": owner.api_key,
        }
    hint = "Shown only now: write them down." if owner else ""
    typer.echo(_framed(facts, f"chatapi {__version__}", hint))
    if owner is not None:
        # Outside the frame and on one line, so that it can be copied.
        typer.secho("Try it:", bold=True)
        typer.echo(curl_line(address, owner))


def curl_line(address: Address, owner: InitialOwner) -> str:
    credentials = shlex.quote(f"{owner.email}:{owner.api_key}")
    return f"curl -u {credentials} {address.url}/api/v1/users/me"


def _framed(facts: dict[str, str], title: str, hint: str) -> str:
    """A table in a frame, drawn here since rich would be loaded for nothing else in a server."""
    name_width = max(map(len, facts))
    rows = [f"{name:<{name_width}}  {value}" for name, value in facts.items()]
    width = max(map(len, [*rows, title, hint])) + 2
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    top_left, top_right, low_left, low_right, line, side = "╭╮╰╯─│" if is_unicode else "++++-|"
    return "\n".join(
        [
            f"{top_left}{_in_line(title, line, width)}{top_right}",
            *(f"{side} {row:<{width - 1}}{side}" for row in rows),
            f"{low_left}{_in_line(hint, line, width)}{low_right}",
        ]
    )


def _in_line(text: str, line: str, width: int) -> str:
    return f" {text} ".center(width, line) if text else line * width
