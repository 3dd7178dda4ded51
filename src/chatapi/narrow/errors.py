"""Narrows that cannot be understood."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class BadNarrowError(ApiError):
    """A term of the narrow has an operator or an operand that nobody knows."""

    code: ClassVar[str] = "BAD_REQUEST"
    text: ClassVar[str] = "Invalid narrow operator: {desc}"
    desc: str
