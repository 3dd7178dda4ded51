"""Why somebody may not delete."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class TopicDeletionNotAllowedError(ApiError):
    """Neither the organization nor the channel lets the caller delete what others wrote."""

    code: ClassVar[str] = "UNAUTHORIZED_PRINCIPAL"
    text: ClassVar[str] = "You don't have permission to delete this topic"
