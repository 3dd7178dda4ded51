"""Errors of navigation views."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ViewToEditDoesNotExistError(ApiError):
    """The view to change does not exist."""

    code: ClassVar[str] = "NOT_FOUND"
    status: ClassVar[int] = 404
    text: ClassVar[str] = "Navigation view does not exist."


@dataclass(eq=False)
class ViewToRemoveDoesNotExistError(ApiError):
    """The view to remove does not exist; clients know another code for this."""

    text: ClassVar[str] = "Navigation view does not exist."
