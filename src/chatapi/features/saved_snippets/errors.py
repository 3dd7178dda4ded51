"""What can be wrong with a saved snippet."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class SnippetDoesNotExistError(ApiError):
    """There is no snippet with this id, or it is somebody else's."""

    text: ClassVar[str] = "Saved snippet does not exist."
