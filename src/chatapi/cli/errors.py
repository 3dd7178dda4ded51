"""Errors of commands, besides those of the service itself."""

from dataclasses import dataclass

from typing_extensions import override

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class InvalidSettingsError(ApiError):
    """A CHATAPI_ variable has a value that cannot be used."""

    code = "INVALID_SETTINGS"
    text = "{faults}"
    faults: str


@dataclass(eq=False)
class DatabaseUnreachableError(ApiError):
    """The database does not respond, or refuses the connection."""

    code = "SERVICE_UNAVAILABLE"
    text = "Cannot use the database {database}: {reason}"
    database: str
    reason: str
    is_temporary: bool
    """Whether waiting may help."""


@dataclass(eq=False)
class DatabaseOutdatedError(ApiError):
    """Tables or columns are missing."""

    code = "DATABASE_OUTDATED"
    text = "The database is not up to date; run: chatapi db upgrade"


@dataclass(eq=False)
class UnwritableFileError(ApiError):
    """A file that a command should write cannot be created."""

    code = "UNWRITABLE_FILE"
    text = "Cannot write {path}: {reason}"
    path: str
    reason: str


@dataclass(eq=False)
class NoOrganizationError(ApiError):
    """There is no organization yet that the command could work on."""

    code = "NO_ORGANIZATION"
    text = "There is no organization yet; run: chatapi org create --name NAME"


@dataclass(eq=False)
class WhichOrganizationError(ApiError):
    """Several organizations exist, and none or an unknown one was named."""

    code = "WHICH_ORGANIZATION"
    text = "Name one of the organizations with --org: {names}"
    organizations: list[str]

    @property
    @override
    def msg(self) -> str:
        return self.text.format(names=", ".join(self.organizations))


@dataclass(eq=False)
class AddressUnavailableError(ApiError):
    """The server cannot listen on the requested address."""

    code = "ADDRESS_UNAVAILABLE"
    text = "Cannot listen on {host} port {port}: {reason}"
    host: str
    port: int
    reason: str
