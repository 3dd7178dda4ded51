"""What `chatapi serve` prints before it serves."""

import shlex
from dataclasses import dataclass

from rich.panel import Panel
from rich.table import Table

from chatapi import __version__
from chatapi.cli.bootstrap import InitialOwner
from chatapi.cli.terminal import stdout
from chatapi.core.settings import Settings

_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (what an operator may type)


@dataclass(frozen=True)
class Address:
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
    hint = "Shown only now: write them down." if owner else None
    stdout.print(Panel.fit(_grid(facts), title=f"chatapi {__version__}", subtitle=hint))
    if owner is not None:
        # Outside the frame and on one line, so that it can be copied.
        stdout.print("Try it:", style="bold")
        stdout.print(curl_line(address, owner), soft_wrap=True)


def curl_line(address: Address, owner: InitialOwner) -> str:
    credentials = shlex.quote(f"{owner.email}:{owner.api_key}")
    return f"curl -u {credentials} {address.url}/api/v1/users/me"


def _grid(facts: dict[str, str]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for name, value in facts.items():
        grid.add_row(name, value)
    return grid
