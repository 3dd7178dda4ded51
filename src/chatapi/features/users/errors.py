"""Errors about users."""

from dataclasses import dataclass

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class CannotDeactivateLastUserError(ApiError):
    """A realm must keep at least one owner."""

    code = "CANNOT_DEACTIVATE_LAST_USER"
    text = "Cannot deactivate the only {entity}"
    is_last_owner: bool
    """Always true: the user is the last owner."""
    entity: str
    """What the user is the last one of, as in the message."""


@dataclass(eq=False)
class CannotDemoteLastOwnerError(CannotDeactivateLastUserError):
    """The same for a change of the role."""

    text = "Cannot change the role of the only {entity}"
