"""Errors about channels."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ChannelAlreadyExistsError(ApiError):
    """Another channel has this name."""

    code: ClassVar[str] = "CHANNEL_ALREADY_EXISTS"
    status: ClassVar[int] = 409
    text: ClassVar[str] = "Channel '{channel_name}' already exists"
    channel_name: str
    """The name that you passed."""
