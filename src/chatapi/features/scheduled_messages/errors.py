"""What can be wrong with a scheduled message."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ScheduledMessageDoesNotExistError(ApiError):
    """The caller has not scheduled such a message, or it was sent meanwhile."""

    text: ClassVar[str] = "Scheduled message does not exist"
