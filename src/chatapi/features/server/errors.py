"""What can be wrong with the server."""

from dataclasses import dataclass

from chatapi.core.errors import UnavailableError


@dataclass(eq=False)
class NotReadyError(UnavailableError):
    """The process runs, but something it needs does not answer."""

    text = "The service is not ready"
    unavailable: list[str]
    """What is missing: `database`, and perhaps `bus`. With `database_file` the SQLite file was
    deleted or replaced under the process, which has to be started again."""
