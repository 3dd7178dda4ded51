"""Errors about the server."""

from dataclasses import dataclass

from chatapi.core.errors import UnavailableError


@dataclass(eq=False)
class NotReadyError(UnavailableError):
    """The process runs, but a service that it needs does not respond."""

    text = "The service is not ready"
    unavailable: list[str]
    """What is unavailable: `database`, and possibly `bus`. With `database_file` the SQLite file was
    deleted or replaced while the process runs, which has to be restarted.
    """
