"""Errors of saved snippets."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class SnippetDoesNotExistError(ApiError):
    """There is no snippet with this id, or it is another user's."""

    text: ClassVar[str] = "Saved snippet does not exist."
