"""Errors of editing messages."""

from dataclasses import dataclass
from typing import ClassVar

from chatapi.core.errors import ApiError


@dataclass(eq=False)
class ContentChangedError(ApiError):
    """The text was changed since the client read it."""

    code: ClassVar[str] = "EXPECTATION_MISMATCH"
    text: ClassVar[str] = "'prev_content_sha256' value does not match the expected value."
