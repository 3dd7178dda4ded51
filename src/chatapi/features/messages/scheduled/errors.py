"""Errors of scheduled messages."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ScheduledMessageDoesNotExistError(ApiError):
    """The caller has no scheduled message with this id, or it has been sent."""

    text: ClassVar[str] = "Scheduled message does not exist"
