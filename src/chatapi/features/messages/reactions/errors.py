"""Errors of reactions."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ReactionAlreadyExistsError(ApiError):
    """The caller has added this reaction to the message before."""

    code: ClassVar[str] = "REACTION_ALREADY_EXISTS"
    text: ClassVar[str] = "Reaction already exists."


@dataclass(eq=False)
class ReactionDoesNotExistError(ApiError):
    """The caller has not added this reaction to the message."""

    code: ClassVar[str] = "REACTION_DOES_NOT_EXIST"
    text: ClassVar[str] = "Reaction doesn't exist."
