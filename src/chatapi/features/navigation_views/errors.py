"""What can be wrong with a navigation view."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ViewToEditDoesNotExistError(ApiError):
    """Nothing of this fragment can be changed, since it was never added."""

    code: ClassVar[str] = "NOT_FOUND"
    status: ClassVar[int] = 404
    text: ClassVar[str] = "Navigation view does not exist."


@dataclass(eq=False)
class ViewToRemoveDoesNotExistError(ApiError):
    """The same when removing it, for which clients know another code."""

    text: ClassVar[str] = "Navigation view does not exist."
