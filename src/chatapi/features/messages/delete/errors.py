"""Errors of deleting messages."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class TopicDeletionNotAllowedError(ApiError):
    """Neither the realm's nor the channel's settings let the caller delete messages of others."""

    code: ClassVar[str] = "UNAUTHORIZED_PRINCIPAL"
    text: ClassVar[str] = "You don't have permission to delete this topic"
