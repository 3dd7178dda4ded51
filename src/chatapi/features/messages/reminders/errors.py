"""Errors of reminders."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ReminderDoesNotExistError(ApiError):
    """The caller has no such reminder, or it has been delivered."""

    text: ClassVar[str] = "Reminder does not exist"
