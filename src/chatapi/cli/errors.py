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
class CommandFailedError(ApiError):
    """Something that no other error describes, such as a full disk."""

    code = "COMMAND_FAILED"
    text = "The command failed: {reason}"
    reason: str


@dataclass(eq=False)
class DatabaseTooNewError(ApiError):
    """A newer version of chatapi has migrated the database."""

    code = "DATABASE_TOO_NEW"
    text = (
        "The database is at revision {revision}, which this version of chatapi does not know: "
        "use the newer version that has upgraded it, or restore a backup"
    )
    revision: str


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
class ReadOnlyDataError(ApiError):
    """The account that runs the command may not write where the service stores its data."""

    code = "DATA_READ_ONLY"
    text = (
        "This account cannot write to {path}: run chatapi as its owner, or change its owner or mode"
    )
    path: str


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
    """None of several organizations, or one that does not exist, was named."""

    code = "WHICH_ORGANIZATION"
    text = "Name one of the organizations: {names}"
    organizations: list[str]

    @property
    @override
    def msg(self) -> str:
        return self.text.format(names=", ".join(self.organizations))


@dataclass(eq=False)
class ConfirmationNeededError(ApiError):
    """There is no terminal on which to ask, and `--yes` was not passed."""

    code = "CONFIRMATION_NEEDED"
    text = "{warning} Repeat with --yes to go on."
    warning: str


@dataclass(eq=False)
class NotConfirmedError(ApiError):
    """The operator was asked and declined."""

    code = "NOT_CONFIRMED"
    text = "Nothing was changed."


@dataclass(eq=False)
class NothingToChangeError(ApiError):
    """The command was called without the options that say what to change."""

    code = "NOTHING_TO_CHANGE"
    text = "Choose what to change: {options}"
    options: str


@dataclass(eq=False)
class AddressUnavailableError(ApiError):
    """The server cannot listen on the requested address."""

    code = "ADDRESS_UNAVAILABLE"
    text = "Cannot listen on {host} port {port}: {reason}"
    host: str
    port: int
    reason: str
