"""Errors of custom emoji."""

from dataclasses import Field, dataclass
from typing import Any

from typing_extensions import override

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class EmojiDoesNotExistError(ApiError):
    """There is no custom emoji of this name."""

    name: str

    @property
    @override
    def msg(self) -> str:
        return f"Emoji '{self.name}' does not exist"

    @classmethod
    @override
    def extra_fields(cls) -> tuple[Field[Any], ...]:
        """The name is part of the message."""
        return ()
