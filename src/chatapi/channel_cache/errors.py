"""Errors for channels that do not exist, or that the caller may not know of."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class StreamDoesNotExistError(ApiError):
    """There is no channel of this name, or none that the sender may know of."""

    code: ClassVar[str] = "STREAM_DOES_NOT_EXIST"
    text: ClassVar[str] = "Channel does not exist"
    stream: str
    """The name that you passed."""


@dataclass(eq=False)
class StreamIdDoesNotExistError(ApiError):
    """There is no channel with this id, or none that the sender may know of."""

    code: ClassVar[str] = "STREAM_DOES_NOT_EXIST"
    text: ClassVar[str] = "Channel does not exist"
    stream_id: int
    """The id that you passed."""
